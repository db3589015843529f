import { createHash } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { GET as lateCsv } from "@/app/(site)/record/[symbol]/[tf]/entered-later.csv/route";
import { GET as lateLines } from "@/app/(site)/record/[symbol]/[tf]/entered-later.ndjson/route";
import { GET as csvFile } from "@/app/(site)/record/[symbol]/[tf]/signals.csv/route";
import { GET as lineFile } from "@/app/(site)/record/[symbol]/[tf]/signals.ndjson/route";
import { GET as testerCsv } from "@/app/(site)/record/[symbol]/[tf]/tester.csv/route";
import { db, workerDb } from "@/db/client";
import { upsertCandles } from "@/db/queries/candles";
import { setFeedCandleVisibility } from "@/lib/admin/set-feed-candle-visibility";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { publishCheckpoint } from "@/lib/signals/ledger/publish-checkpoint";
import { call } from "@/tests/support/api";
import { applySetting } from "@/tests/support/apply-setting";
import { useDatabase } from "@/tests/support/database";
import { resolveOutcomesNow, type StoredMarket, storeMarket } from "@/tests/support/record-market";

useDatabase({ PUBLIC_CANDLES: "on", BASE_URL: "https://recorded.example.test" });

const HOUR_MS = 3_600_000;
let markets: StoredMarket[] = [];
beforeAll(async () => {
  markets = [
    await storeMarket({ symbol: "EURUSD", nCandles: 500, nSignals: 200, seed: 21, ahead: true }),
    // Two and a half horizons: those of the last twelve signals are still open.
    await storeMarket({ symbol: "GBPUSD", nCandles: 120, nSignals: 30, seed: 22, ahead: true }),
    // Shorter than a horizon, so nothing of it may count.
    await storeMarket({ symbol: "USDJPY", nCandles: 120, nSignals: 8, seed: 23, ahead: true }),
  ];
  await enterIntoLedger(workerDb());
  await resolveOutcomesNow();
  await enterIntoLedger(workerDb());
  await publishCheckpoint(workerDb());
});

interface Own {
  day: string;
  brier: number;
  reference: number;
  directional: boolean;
  r: number | null;
  coinR: number | null;
}

/** Outcomes of a market, computed here from its candles by the rule, without code of the service. */
function ownOutcomes({ symbol, timeframe, modelV, candles, signals }: StoredMarket): Own[] {
  const { high, low, close, ts } = candles;
  const cost = { EURUSD: 0.00008, GBPUSD: 0.00012, USDJPY: 0.01 }[symbol] ?? 0;
  const atr: number[] = [];
  let sum = 0;
  for (let i = 0; i < ts.length; i++) {
    const range =
      i === 0 ? high[0]! - low[0]! : Math.max(high[i]!, close[i - 1]!) - Math.min(low[i]!, close[i - 1]!);
    if (i < 14) sum += range;
    atr.push(i < 13 ? Number.NaN : i === 13 ? sum / 14 : (13 * atr[i - 1]! + range) / 14);
  }
  const labels: { index: number; label: number }[] = [];
  return signals.flatMap(({ index, signal, probs, expectedRr }) => {
    if (index + 12 >= ts.length) return [];
    const [entry, d] = [close[index]!, 2 * atr[index]!];
    const first = (up: number, down: number) => {
      for (let j = index + 1; j <= index + 12; j++) {
        const [above, below] = [high[j]! >= entry + up, low[j]! <= entry - down];
        if (above && below) return "both";
        if (above) return "up";
        if (below) return "down";
      }
      return "none";
    };
    const follow = (way: 1 | -1) => {
      const touched = way === 1 ? first(expectedRr * d, d) : first(d, expectedRr * d);
      const won = touched === (way === 1 ? "up" : "down");
      const gross = touched === "none" ? (way * (close[index + 12]! - entry)) / d : won ? expectedRr : -1;
      return gross - cost / d;
    };
    const touched = first(d, d);
    const label = touched === "up" ? 0 : touched === "down" ? 1 : 2;
    // What was known at the close: outcomes whose twelve candles were over, and twelve more of each class.
    const known = labels.filter((one) => one.index + 12 <= index);
    const frequencies = [0, 1, 2].map(
      (k) => (12 + known.filter((one) => one.label === k).length) / (36 + known.length),
    );
    labels.push({ index, label });
    const error = (p: readonly number[]) =>
      p.reduce((total, one, k) => total + (one - (k === label ? 1 : 0)) ** 2, 0);
    const iso = `${new Date(ts[index]!).toISOString().slice(0, 19)}Z`;
    const tossed = createHash("sha256").update([symbol, timeframe, iso, modelV].join("|")).digest()[0]!;
    const directional = signal !== "NO_TRADE";
    return [
      {
        day: new Date(ts[index]! + HOUR_MS).toISOString().slice(0, 10),
        brier: error(probs),
        reference: error(frequencies),
        directional,
        r: directional ? follow(signal === "BUY" ? 1 : -1) : null,
        coinR: directional ? follow(tossed % 2 === 1 ? 1 : -1) : null,
      },
    ];
  });
}

const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const results = (own: Own[], of: (one: Own) => number | null) => own.flatMap((one) => of(one) ?? []);

describe("GET /api/public/record", () => {
  it("the public record equals one computed from the candles by separate code, with complete horizons only", async () => {
    const { json } = await call("GET", "/api/public/record");
    expect(json.items.map((item: { symbol: string }) => item.symbol)).toEqual(["EURUSD", "GBPUSD"]);
    for (const market of markets.slice(0, 2)) {
      const own = ownOutcomes(market);
      const item = json.items.find(({ symbol }: { symbol: string }) => symbol === market.symbol);
      expect(item.forecasts.n).toBe(own.length);
      expect(item.forecasts.n_directional).toBe(own.filter((one) => one.directional).length);
      expect(item.model.total_r).toBeCloseTo(
        results(own, (one) => one.r).reduce((a, b) => a + b, 0),
        3,
      );
      expect(item.coin.total_r).toBeCloseTo(
        results(own, (one) => one.coinR).reduce((a, b) => a + b, 0),
        3,
      );
      expect(item.model.n_wins).toBe(results(own, (one) => one.r).filter((r) => r > 0).length);
      if (own.length < 50) {
        expect([item.forecasts.enough, item.forecasts.brier, item.model.win_rate_pct]).toEqual([
          false,
          null,
          null,
        ]);
        continue;
      }
      expect(item.forecasts.brier).toBeCloseTo(mean(own.map((one) => one.brier)), 6);
      expect(item.forecasts.brier_frequencies).toBeCloseTo(mean(own.map((one) => one.reference)), 6);
    }
    expect(json.total.forecasts.n).toBe(188 + 18);
    expect(json.curve.at(-1).r).toBe(json.total.model.total_r);
    expect(json.headline.text).toMatch(
      /^Direction: not shown to be better than a coin, neither over all slots together nor on any one of them\. Probability: not shown/,
    );
  });

  it("the record of one slot has its own headline, which may say that results are too few", async () => {
    const of = async (query: string) => (await call("GET", `/api/public/record?${query}`)).json.headline;
    expect(await of("symbol=EURUSD&tf_code=H1")).toEqual({
      text: "Direction: not shown to be better than a coin. Probability: not shown to be better than the class frequencies.",
      n_slots: 1,
      n_direction: 0,
      n_probability: 0,
    });
    const few = await of("symbol=GBPUSD&tf_code=H1");
    expect(few.text).toBe("Not enough results yet: fewer than 50 resolved signals.");
    expect((await of("symbol=EURUSD&to=2001-01-01")).n_slots).toBe(1);
  });

  it("the public record can be filtered by slot, model and days, and the parts add up", async () => {
    const whole = await call("GET", "/api/public/record?symbol=eurusd&tf_code=h1");
    const own = ownOutcomes(markets[0]!);
    const [first, last] = [own[0]!.day, own.at(-1)!.day];
    const middle = own[100]!.day;
    const until = await call("GET", `/api/public/record?symbol=EURUSD&to=${middle}`);
    const after = new Date(Date.parse(middle) + 24 * HOUR_MS).toISOString().slice(0, 10);
    const since = await call("GET", `/api/public/record?symbol=EURUSD&from=${after}&model_v=m1`);
    expect(until.json.total.forecasts.n).toBe(own.filter(({ day }) => day <= middle).length);
    expect(until.json.total.forecasts.n + since.json.total.forecasts.n).toBe(whole.json.total.forecasts.n);
    expect([whole.json.first_day, whole.json.last_day]).toEqual([first, last]);
    // The evidence covers the whole record, regardless of the selection.
    expect(until.json.items[0].evidence).toEqual(whole.json.items[0].evidence);
    const all = await call("GET", "/api/public/record");
    expect(whole.json.items[0].evidence).toEqual(all.json.items[0].evidence);
    expect(all.json.items[0]).toMatchObject({ symbol: "EURUSD", evidence: { direction: { needed: 80 } } });
    const nothing = await call("GET", "/api/public/record?symbol=EURUSD&to=2001-01-01");
    expect(nothing.json).toMatchObject({ count: 0, first_day: null, curve: [], months: [] });
  });

  it.each([
    "record",
    "calibration",
    "models",
    "signals",
    "candles?symbol=EURUSD&tf_code=H1",
    "ledger/checkpoint",
    "ledger/entries?start=0&end=9",
    "ledger/proof?entry=0&size=9",
    "ledger/consistency?first=3&second=9",
  ])("%s answers 304 to its ETag, may be cached and is open to any origin", async (path) => {
    const first = await call("GET", `/api/public/${path}`);
    const again = await call("GET", `/api/public/${path}`, {
      headers: { "If-None-Match": first.headers.get("etag") ?? "" },
    });
    expect([first.status, again.status, again.text]).toEqual([200, 304, ""]);
    expect(first.headers.get("access-control-allow-origin")).toBe("*");
    expect(first.headers.get("cache-control")).toMatch(/^public, /);
  });
});

describe("GET /api/public/calibration", () => {
  it("the calibration has parts that add up, intervals for every bin with forecasts, and both baselines beside the model", async () => {
    const { json } = await call("GET", "/api/public/calibration?symbol=EURUSD");
    const [item] = json.items;
    const own = ownOutcomes(markets[0]!);
    expect(item.model.brier).toBeCloseTo(mean(own.map((one) => one.brier)), 6);
    expect(item.coin).toMatchObject({ brier: 0.666667, avg_confidence: 0.333333, n: own.length });
    for (const who of ["model", "coin", "frequencies"] as const) {
      const { decomposition: parts, bins } = item[who];
      expect(parts.reliability - parts.resolution + parts.uncertainty + parts.within).toBeCloseTo(
        parts.brier,
        6,
      );
      expect(bins.reduce((n: number, bin: { n: number }) => n + bin.n, 0)).toBe(own.length);
      for (const bin of bins) expect(bin.ci95 === null).toBe(bin.n === 0);
    }
  });
});

describe("GET /api/public/signals", () => {
  it("the list of public signals is paged by a cursor, in ledger order or newest first", async () => {
    const seen: number[] = [];
    let after = "";
    for (;;) {
      const { json } = await call("GET", `/api/public/signals?limit=90${after}`);
      seen.push(...json.items.map(({ entries }: { entries: { outcome: number } }) => entries.outcome));
      if (json.next === null) break;
      after = `&after=${json.next}`;
    }
    expect(seen).toHaveLength(206);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    const newest = await call("GET", "/api/public/signals?order=newest&limit=5&symbol=EURUSD&tf_code=H1");
    expect(newest.json.items).toHaveLength(5);
    expect(newest.json.items[0].ts > newest.json.items[4].ts).toBe(true);
  });

  it("neither the list of public signals nor the ledger shows a signal before its horizon is over", async () => {
    const { json } = await call("GET", "/api/public/signals?limit=1000&symbol=USDJPY");
    expect(json).toEqual({ notice: null, count: 0, items: [], next: null });
    const entries = await call("GET", "/api/public/ledger/entries?start=0&end=999");
    const open = entries.json.items.filter(({ kind }: { kind: string }) => kind === "commitment");
    expect(open).toHaveLength(200 + 30 + 8);
    for (const { content } of open) expect(content).not.toMatch(/USDJPY|BUY|SELL|NO_TRADE/);
  });

  it("the list of public signals is available as JSON lines and CSV", async () => {
    const lines = await call("GET", "/api/public/signals?limit=3", {
      headers: { Accept: "application/x-ndjson" },
    });
    expect(lines.headers.get("content-type")).toContain("application/x-ndjson");
    expect(
      lines.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).seq),
    ).toHaveLength(3);
    expect(lines.headers.get("next-cursor")).toMatch(/^\d+$/);
    const table = await call("GET", "/api/public/signals?limit=3&format=csv");
    expect(table.text.split("\r\n")[0]).toMatch(/^seq,symbol,timeframe,ts/);
    expect(table.text.trim().split("\r\n")).toHaveLength(4);
  });
});

describe("downloads of a slot's page", () => {
  const ask = (get: typeof csvFile, symbol: string, tf: string, query = "") =>
    get(new Request(`http://localhost/record/${symbol}/${tf}/signals${query}`), {
      params: Promise.resolve({ symbol, tf }),
    });

  it("a download of late entries contains every resolved one, across pages, with one header", async () => {
    const market = await storeMarket({ symbol: "AUDUSD", nCandles: 1_200, nSignals: 1_112, seed: 24 });
    await resolveOutcomesNow();
    await enterIntoLedger(workerDb());
    const table = (await (await ask(lateCsv, "audusd", "h1")).text()).trim().split("\r\n");
    expect(table).toHaveLength(1 + 1_100);
    expect(table.filter((row) => row.startsWith("seq,"))).toHaveLength(1);
    const answer = await ask(lateLines, "AUDUSD", "H1", `?model_v=${market.modelV}`);
    const lines = (await answer.text()).trim().split("\n");
    const seqs = lines.map((row) => JSON.parse(row).seq);
    expect(new Set(seqs).size).toBe(1_100);
    expect(seqs).toEqual(table.slice(1).map((row) => Number(row.split(",")[0])));
    expect(answer.headers.get("content-disposition")).toBe(
      'attachment; filename="entered-later-AUDUSD-H1.ndjson"',
    );
    // The files of the record contain none of them.
    const ofRecord = (await (await ask(csvFile, "audusd", "h1")).text()).trim().split("\r\n");
    expect(ofRecord).toEqual([table[0]]);
  });

  it("the file for the Strategy Tester has every decision with a complete horizon, oldest first, with its timeliness", async () => {
    const file = async (query = "") => {
      const answer = await ask(testerCsv, "EURUSD", "H1", query);
      expect(answer.status).toBe(200);
      const text = await answer.text();
      const lines = text.trim().split("\r\n");
      const rows = lines.filter((line) => !line.startsWith("#") && !line.startsWith("seq,"));
      return {
        lines,
        rows: rows.map((row) => row.split(",")),
        head: answer.headers.get("content-disposition"),
      };
    };
    const { lines, rows, head } = await file();
    const { json } = await call("GET", "/api/public/signals?symbol=EURUSD&tf_code=H1&limit=1000");
    // biome-ignore lint/suspicious/noExplicitAny: items of the interface
    const items: any[] = json.items;
    expect(rows.map(([seq]) => Number(seq)).toSorted((a, b) => a - b)).toEqual(
      items.map(({ seq }) => seq).toSorted((a, b) => a - b),
    );
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([10]));
    const inTime = items.filter(({ entered_later: later }) => !later);
    expect(rows.filter((row) => row[9] === "in_time")).toHaveLength(inTime.length);
    expect(rows.filter((row) => row[9] === "late")).toHaveLength(items.length - inTime.length);
    expect(lines[1]).toBe(
      `# ${inTime.length} of ${items.length} decisions were committed in time; ${items.length - inTime.length} were entered later (late) and prove nothing.`,
    );
    for (const [i, row] of rows.entries()) {
      // Known no earlier than the candle's close, in order of time, and valid for a while.
      const [opens = "", decided = "", valid = ""] = [
        row[3]?.slice(0, 19).replaceAll("-", ".").replace("T", " "),
        row[4],
        row[5],
      ];
      expect(decided > opens && valid > decided).toBe(true);
      if (i > 0) expect(decided >= (rows[i - 1]?.[4] ?? "")).toBe(true);
    }
    const [first, last] = [rows[0]?.[3]?.slice(0, 10), rows.at(-1)?.[3]?.slice(0, 10)];
    expect(head).toBe(`attachment; filename="decisions-EURUSD-H1-${first}-${last}.csv"`);
    const oneDay = await file(`?from=${last}&to=${last}`);
    expect(oneDay.rows.length).toBeGreaterThan(0);
    expect(oneDay.rows.every((row) => row[3]?.startsWith(last ?? "?"))).toBe(true);
    expect((await ask(testerCsv, "EURUSD", "H1", "?from=2026-02-30")).status).toBe(422);
    expect((await ask(testerCsv, "EURUSD", "H1", "?to=2001-01-01")).status).toBe(404);
    expect((await ask(testerCsv, "ZZZZZZ", "H1")).status).toBe(404);
  });

  it("a download of the record contains only signals committed in time", async () => {
    const answer = await ask(lineFile, "EURUSD", "H1");
    expect(answer.headers.get("content-disposition")).toBe('attachment; filename="signals-EURUSD-H1.ndjson"');
    const lines = (await answer.text())
      .trim()
      .split("\n")
      .map((row) => JSON.parse(row));
    const { json } = await call("GET", "/api/public/record?symbol=EURUSD");
    expect(lines.filter(({ label }) => label !== null)).toHaveLength(json.total.forecasts.n);
    expect(lines.every(({ entered_later }) => !entered_later)).toBe(true);
  });

  it.each([
    ["ZZZZZZ", "H1", "", 404],
    ["EURUSD", "M1", "", 404],
    ["EURUSD", "H7", "", 422],
    ["%00", "H1", "", 422],
    ["EURUSD", "\uFEFF", "", 404],
    [" ", "H1", "", 404],
    ["EURUSD", "H1", "?model_v=unknown", 404],
  ])("a download for the slot %s %s%s gets %i", async (symbol, tf, query, status) => {
    expect((await ask(csvFile, symbol, tf, query)).status).toBe(status);
  });

  it("downloads are limited to one at a time per network", async () => {
    const first = await ask(csvFile, "EURUSD", "H1");
    const second = await ask(lineFile, "EURUSD", "H1");
    expect([first.status, second.status, second.headers.get("retry-after")]).toEqual([200, 429, "10"]);
    await first.body?.cancel();
    expect((await ask(lineFile, "EURUSD", "H1")).status).toBe(200);
  });
});

describe("GET /api/public/models", () => {
  it("the list of public models has each model's promotion entry and results", async () => {
    const { json } = await call("GET", "/api/public/models?symbol=EURUSD");
    expect(json.items[0]).toMatchObject({ model_v: "m1", is_active: true, claim: null, training: null });
    expect(json.items[0].promotions).toHaveLength(1);
    expect(json.items[0].result.n).toBe(188);
  });
});

describe("invalid parameters", () => {
  it.each([
    ["record?from=2026-13-01", 422, "from"],
    ["record?from=yesterday", 422, "from"],
    ["record?from=2026-02-02&to=2026-02-01", 422, "from"],
    ["record?symbol=%00", 422, "symbol"],
    ["record?tf_code=H7", 422, "tf_code"],
    ["record?symbol=EURUSD&symbol=GBPUSD", 422, "symbol"],
    [`record?model_v=${"x".repeat(200)}`, 422, "model_v"],
    ["record?symbol=ZZZZZZ", 404, null],
    ["record?symbol=EURUSD&tf_code=M1", 404, null],
    ["record?model_v=unknown", 404, null],
    ["calibration?model_v=unknown", 404, null],
    ["models?symbol=ZZZZZZ", 404, null],
    ["signals?after=-1", 422, "after"],
    ["signals?after=1e9", 422, "after"],
    ["signals?limit=0", 422, "limit"],
    ["signals?limit=1001", 422, "limit"],
    ["signals?order=random", 422, "order"],
    ["signals?format=xml", 422, "format"],
    ["ledger/entries", 422, "start"],
    ["ledger/entries?start=5&end=2", 422, "start"],
    ["ledger/entries?start=-1&end=2", 422, "start"],
    ["ledger/entries?start=0&end=9999999999999", 422, "end"],
    ["ledger/proof?entry=5&size=5", 422, "entry"],
    ["ledger/proof?entry=0&size=99999999", 404, null],
    ["ledger/consistency?first=3&second=2", 422, "first"],
    ["ledger/consistency?first=1&second=99999999", 404, null],
    ["candles", 422, "symbol"],
    ["candles?symbol=EURUSD&tf_code=H1&from=never", 422, "from"],
    ["candles?symbol=ZZZZZZ&tf_code=H1", 404, null],
  ])("the query %s gets %i", async (path, status, field) => {
    const answered = await call("GET", `/api/public/${path}`);
    expect(answered.status).toBe(status);
    if (field !== null) expect(answered.json.errors[0].loc).toEqual(["query", field]);
  });

  it("a range beyond the ledger's end returns the part that exists", async () => {
    const [state] = await db().$client`select size::int as size from ledger_state`;
    const last = await call(
      "GET",
      `/api/public/ledger/entries?start=${state?.size - 2}&end=${state?.size + 50}`,
    );
    expect(last.json.count).toBe(2);
    const beyond = await call("GET", "/api/public/ledger/entries?start=100000&end=100100");
    expect(beyond.json).toMatchObject({ count: 0, items: [] });
  });
});

describe("switched-off parts", () => {
  it("the paths of record, calibration, models, signals and ledger answer 404 record_off when the record is off", async () => {
    await applySetting("public_record", { isShown: false });
    for (const path of [
      "record",
      "calibration",
      "models",
      "signals",
      "ledger/checkpoint",
      "ledger/entries?start=0&end=9",
      "ledger/proof?entry=0&size=9",
      "ledger/consistency?first=3&second=9",
    ]) {
      const { status, json } = await call("GET", `/api/public/${path}`);
      expect([status, json.code]).toEqual([404, "record_off"]);
    }
    await applySetting("public_record", null);
  });

  it("candles of a feed with a restrictive licence are 404 candles_off, unless the operator shows them", async () => {
    const sql = db().$client;
    const candles = async () => {
      const { status, json } = await call("GET", "/api/public/candles?symbol=EURUSD&tf_code=H1");
      return status === 200 ? json.count : json.code;
    };
    await applySetting("public_record", { candles: "feeds" });
    expect(await candles()).toBe(500);
    for (const feed of ["oanda", "ccxt:binance"])
      await sql`insert into feeds (name, state) values (${feed}, 'ok')`;
    const bring = (feed: string, n: number) => sql`
      insert into feed_slots (feed, slot_id, n_stored) select ${feed}, id, ${n} from slots where symbol = 'EURUSD'`;
    await bring("ccxt:binance", 9);
    await bring("oanda", 0);
    expect(await candles()).toBe(500);
    await sql`update feed_slots set n_stored = 1 where feed = 'oanda'`;
    expect(await candles()).toBe("candles_off");
    const owner = { kind: "admin-secret", address: "127.0.0.1", requestId: "r" } as const;
    await setFeedCandleVisibility(db(), { feed: "oanda", shown: true }, owner);
    expect(await candles()).toBe(500);
    await setFeedCandleVisibility(db(), { feed: "ccxt:binance", shown: false }, owner);
    expect(await candles()).toBe("candles_off");
    await applySetting("public_record", null);
    expect(await candles()).toBe(500);
    await expect(setFeedCandleVisibility(db(), { feed: "unknown", shown: true }, owner)).rejects.toThrow(
      "not_found",
    );
  });

  it("the candles endpoint hides candles that are newer than the complete horizons", async () => {
    const [slot] = await db().$client`
      select s.id, l.sealed_to from slots s join sealed_candle_ranges l on l.slot_id = s.id where s.symbol = 'EURUSD'`;
    const next = new Date(new Date(slot?.sealed_to).getTime() + 3_600_000);
    await upsertCandles(db(), [
      { slotId: slot?.id, ts: next, open: 1, high: 1, low: 1, close: 1, volume: 1 },
    ]);
    const { json } = await call("GET", "/api/public/candles?symbol=EURUSD&tf_code=H1");
    expect(json.count).toBe(500);
  });

  it("the candles endpoint hides candles that are older than those in the ledger", async () => {
    const [slot] = await db().$client`
      select s.id, l.sealed_from from slots s join sealed_candle_ranges l on l.slot_id = s.id where s.symbol = 'EURUSD'`;
    const ts = new Date(new Date(slot?.sealed_from).getTime() - HOUR_MS);
    await upsertCandles(db(), [{ slotId: slot?.id, ts, open: 1, high: 1, low: 1, close: 1, volume: 1 }]);
    const { json } = await call(
      "GET",
      `/api/public/candles?symbol=EURUSD&tf_code=H1&from=${ts.toISOString()}`,
    );
    expect(json.count).toBe(500);
  });

  it("a slot without candles in the ledger has no public candles up to the present time", async () => {
    const { json } = await call(
      "GET",
      `/api/public/candles?symbol=USDJPY&tf_code=H1&to=${new Date().toISOString()}`,
    );
    expect(json).toMatchObject({ count: 0, items: [], next: null });
  });
});
