import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const HOUR_MS = 3_600_000;
const newestHour = Math.floor(Date.now() / HOUR_MS - 1) * HOUR_MS;
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;

interface Wish {
  symbol?: string;
  timeframe?: string;
  tsMs?: number;
  confidence?: number;
  signal?: string;
  model_v?: string;
}

const signalOf = ({ tsMs = newestHour, confidence = 0.6, ...wish }: Wish) => ({
  symbol: "EURUSD",
  timeframe: "H1",
  signal: "BUY",
  model_v: "m-1",
  ts: iso(tsMs),
  confidence,
  prob_buy: confidence,
  prob_sell: (1 - confidence) / 2,
  prob_no: (1 - confidence) / 2,
  regime: "RANGE",
  expected_rr: 1.5,
  ...wish,
});

async function ingest(...wishes: Wish[]) {
  const answer = await call("POST", "/admin/ingest/signals", {
    admin: true,
    body: { items: wishes.map(signalOf) },
  });
  expect(answer.status, answer.text).toBe(200);
}

const scan = async (key: string, query = "") => (await call("GET", `/api/scan${query}`, { key })).json;
const slotsOf = (body: { items: { symbol: string; timeframe: string }[] }) =>
  body.items.map((item) => `${item.symbol}/${item.timeframe}`);

let pro: string;
beforeAll(async () => {
  pro = (await makeKey()).key;
  await ingest(
    { symbol: "XAUUSD", timeframe: "H4", tsMs: newestHour - 4 * HOUR_MS },
    { symbol: "EURUSD", timeframe: "H4", signal: "NO_TRADE", confidence: 0.4 },
    { symbol: "EURUSD", timeframe: "M15" },
    { symbol: "BTCUSD", timeframe: "D1" },
    { symbol: "BTCUSD", timeframe: "H1", confidence: 0.7 },
    { symbol: "GBPUSD", timeframe: "H1", confidence: 0.1234567 },
    { symbol: "EURUSD", timeframe: "H1" },
  );
});

describe("GET /api/scan", () => {
  it("lists each slot once, sorted by symbol and then by length of timeframe, NO_TRADE included", async () => {
    const body = await scan(pro);
    expect(slotsOf(body)).toEqual([
      "BTCUSD/H1",
      "BTCUSD/D1",
      "EURUSD/M15",
      "EURUSD/H1",
      "EURUSD/H4",
      "GBPUSD/H1",
      "XAUUSD/H4",
    ]);
    expect(body).toMatchObject({ plan_tier: "pro", filtered_by_plan: false });
    expect(Object.keys(body)).toEqual(["items", "plan_tier", "filtered_by_plan"]);
  });

  it("returns exactly the documented fields, probabilities with six decimals", async () => {
    const item = (await scan(pro)).items.find(
      (candidate: { symbol: string }) => candidate.symbol === "GBPUSD",
    );
    expect(item).toEqual({
      symbol: "GBPUSD",
      timeframe: "H1",
      signal: "BUY",
      confidence: 0.123457,
      prob_buy: 0.123457,
      prob_sell: 0.438272,
      prob_no: 0.438272,
      regime: "RANGE",
      expected_rr: 1.5,
      ts: iso(newestHour),
      model_v: "m-1",
    });
    expect(Object.keys(item)[0]).toBe("symbol");
  });

  it("gives basic and telegram three symbols on H1 and H4", async () => {
    for (const plan_tier of ["basic", "telegram"]) {
      const { key } = await makeKey({ plan_tier });
      const body = await scan(key);
      expect(slotsOf(body)).toEqual(["EURUSD/H1", "EURUSD/H4", "GBPUSD/H1", "XAUUSD/H4"]);
      expect(body).toMatchObject({ plan_tier, filtered_by_plan: true });
    }
  });

  it("respects the key's own symbols and timeframes", async () => {
    const { key } = await makeKey({ symbols_allowed: ["BTCUSD", "EURUSD"], tfs_allowed: ["H1", "M15"] });
    const body = await scan(key);
    expect(slotsOf(body)).toEqual(["BTCUSD/H1", "EURUSD/M15", "EURUSD/H1"]);
    expect(body.filtered_by_plan).toBe(true);
    const nothing = await makeKey({ plan_tier: "basic", symbols_allowed: ["BTCUSD"] });
    expect((await scan(nothing.key)).items).toEqual([]);
  });

  it("filters by the displayed confidence, inclusive", async () => {
    expect(slotsOf(await scan(pro, "?min_confidence=0.7"))).toEqual(["BTCUSD/H1"]);
    expect(slotsOf(await scan(pro, "?min_confidence=0.123457"))).toContain("GBPUSD/H1");
    expect((await scan(pro, "?min_confidence=1")).items).toEqual([]);
  });

  it.each(["-0.1", "1.01", "", "x", "0.5&min_confidence=0.5", "1e-1"])(
    "answers 422 to min_confidence=%s",
    async (value) => {
      const answer = await call("GET", `/api/scan?min_confidence=${value}`, { key: pro });
      expect(answer).toMatchObject({ status: 422, json: { code: "validation_failed" } });
    },
  );

  it("filters after choosing the newest signal, so that an older, more confident one never appears instead", async () => {
    await ingest(
      { symbol: "AUDUSD", tsMs: newestHour - HOUR_MS, confidence: 0.9 },
      { symbol: "AUDUSD", confidence: 0.5 },
    );
    expect(slotsOf(await scan(pro, "?min_confidence=0.8"))).not.toContain("AUDUSD/H1");
  });

  it("shows the signal of the latest candle, of several the last recorded, and ignores late signals of older candles", async () => {
    const shown = async () =>
      (await scan(pro)).items.find((item: { symbol: string }) => item.symbol === "NZDUSD").model_v;
    await ingest({ symbol: "NZDUSD", model_v: "first" });
    await ingest({ symbol: "NZDUSD", model_v: "second" });
    expect(await shown()).toBe("second");
    await ingest({ symbol: "NZDUSD", model_v: "late", tsMs: newestHour - 5 * HOUR_MS });
    expect(await shown()).toBe("second");
  });

  it("includes a new signal in the very next request", async () => {
    for (let n = 0; n < 15; n++) {
      await ingest({ symbol: "USDCAD", tsMs: newestHour - (20 - n) * HOUR_MS });
      const item = (await scan(pro)).items.find(
        (candidate: { symbol: string }) => candidate.symbol === "USDCAD",
      );
      expect(item.ts).toBe(iso(newestHour - (20 - n) * HOUR_MS));
    }
  });

  it("includes the next signal after the database lost its last commits", async () => {
    const shown = async () =>
      (await scan(pro)).items.find((item: { symbol: string }) => item.symbol === "CADJPY").model_v;
    await ingest({ symbol: "CADJPY", model_v: "kept" });
    const [before] = await db().execute<{ signals: string }>(sql`select signals from state_versions`);
    await ingest({ symbol: "CADJPY", model_v: "lost" });
    expect(await shown()).toBe("lost");

    await db().transaction(async (tx) => {
      await tx.execute(sql`update state_versions set signals = ${before?.signals}`);
      await tx.execute(sql`
        update latest_signals l set signal_id = g.id, created_at = g.created_at
          from signals g where g.model_v = 'kept' and g.slot_id = l.slot_id`);
      await tx.execute(sql`
        delete from open_outcomes o using signals g where g.model_v = 'lost' and g.id = o.signal_id`);
      await tx.execute(sql`delete from signals where model_v = 'lost'`);
    });
    await ingest({ symbol: "CADJPY", model_v: "next" });
    expect(await shown()).toBe("next");
  });

  it("answers 304 to a known ETag, and the body after a new signal", async () => {
    const first = await call("GET", "/api/scan", { key: pro });
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const compressed = [etag.replace(/"$/, '-gzip"'), `W/${etag.replace(/"$/, ';gzip"')}`];
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*", ...compressed]) {
      const again = await call("GET", "/api/scan", { key: pro, headers: { "If-None-Match": tag } });
      expect(again).toMatchObject({ status: 304, text: "" });
      expect(again.headers.get("etag")).toBe(etag);
      expect(again.headers.get("x-ratelimit-limit")).toBe("300");
    }
    await ingest({ symbol: "USDCHF" });
    const changed = await call("GET", "/api/scan", { key: pro, headers: { "If-None-Match": etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  it("answers 200 to the ETag of another plan's body", async () => {
    const basic = await makeKey({ plan_tier: "basic" });
    const etag = (await call("GET", "/api/scan", { key: pro })).headers.get("etag") ?? "";
    expect(
      (await call("GET", "/api/scan", { key: basic.key, headers: { "If-None-Match": etag } })).status,
    ).toBe(200);
  });

  it("includes the validity of signals only on request", async () => {
    const body = await scan(pro, "?expand=validity");
    const item = body.items.find((candidate: { symbol: string }) => candidate.symbol === "BTCUSD");
    expect(item).toMatchObject({
      pred_id: expect.any(Number),
      // One hour for the candle, one until the next is due, and 15 minutes of grace; crypto trades around the clock.
      valid_until: iso(newestHour + 2.25 * HOUR_MS),
      stale: false,
    });
    expect(item.age_minutes).toBeCloseTo((Date.now() - newestHour - HOUR_MS) / 60_000, 0);
    const refused = await call("GET", "/api/scan?expand=all", { key: pro });
    expect([refused.status, refused.json.errors[0].msg]).toEqual([
      422,
      "must be validity, range or levels, or several of them separated by commas",
    ]);
  });

  it("accepts several expansions in any order, and repeated", async () => {
    const usual = await scan(pro, "?expand=validity,range,levels");
    expect(Object.keys(usual.items[0])).toEqual(expect.arrayContaining(["stale", "range", "stop"]));
    for (const query of ["?expand=levels,validity,range", "?expand=range,validity,range,levels"])
      expect(Object.keys((await scan(pro, query)).items[0])).toEqual(Object.keys(usual.items[0]));
  });
});

describe("GET /api/signals/{symbol}/{tf}", () => {
  const history = (path: string, key = pro) => call("GET", `/api/signals/${path}`, { key });

  beforeAll(async () => {
    await ingest(
      ...Array.from({ length: 250 }, (_, n) => ({ symbol: "USDJPY", tsMs: newestHour - n * HOUR_MS })),
    );
  });

  it("the history of a slot lists the newest signals first with exactly five fields, 200 by default", async () => {
    const { json } = await history("USDJPY/H1");
    expect(json).toHaveLength(200);
    expect(json[0]).toEqual({
      ts: iso(newestHour),
      signal: "BUY",
      confidence: 0.6,
      regime: "RANGE",
      expected_rr: 1.5,
    });
    const times = json.map((item: { ts: string }) => item.ts);
    expect(times).toEqual(times.toSorted().toReversed());
    expect((await history("USDJPY/H1?limit=1000")).json).toHaveLength(250);
    expect((await history("USDJPY/H1?limit=1")).json).toHaveLength(1);
  });

  it("a slot in the path may be in lower case, percent-encoded and with a trailing slash, but not encoded twice", async () => {
    for (const path of ["usdjpy/h1", "%55SDJPY/H1", "USDJPY/h1/"]) {
      expect((await history(`${path}?limit=1`)).json).toHaveLength(1);
    }
    expect((await history("%2555SDJPY/H1")).status).toBe(422);
  });

  it("the history of a well-formed slot without data is an empty list", async () => {
    expect(await history("NOSUCH/MN1")).toMatchObject({ status: 200, json: [] });
  });

  it.each(["EUR USD/H1", "EUR%00USD/H1", "EURUSD/H7", "EURUSD/PERIOD_H1", "x/H1", "%zz/H1", "..%2f/H1"])(
    "the history of the malformed slot %s is 422",
    async (path) => {
      expect((await history(path)).status).toBe(422);
    },
  );

  it.each(["0", "1001", "-1", "x", "", "10&limit=10"])(
    "the history of a slot answers 422 to limit=%s",
    async (limit) => {
      expect((await history(`USDJPY/H1?limit=${limit}`)).status).toBe(422);
    },
  );

  it("the history of a slot out of scope is 403, and of a malformed one 422", async () => {
    const { key } = await makeKey({ plan_tier: "basic" });
    expect(await history("USDJPY/H1", key)).toMatchObject({
      status: 403,
      json: { code: "slot_not_in_plan" },
    });
    expect((await history("EURUSD/M15", key)).status).toBe(403);
    expect((await history("EURUSD/H9", key)).status).toBe(422);
    expect((await history("EURUSD/H1", key)).status).toBe(200);
  });
});
