import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import {
  listSignalFetchAdvances,
  readSignalFetchRecordingStart,
  recordSignalFetchAdvances,
} from "@/db/queries/signal-fetches";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { signalFetchBuffer } from "@/lib/subscribers/signal-fetches";
import { addDays } from "@/lib/time";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { waitUntil } from "@/tests/support/server";
import { readEventStream } from "@/tests/support/stream";

useDatabase();

let hour = 0;
/** Ingests another signal of a slot, for the candle of the next hour. */
async function ingest(symbol = "EURUSD", timeframe = "H1"): Promise<number> {
  const ts = new Date(Date.UTC(2026, 10, 2, hour++)).toISOString();
  const item = {
    ...{ symbol, timeframe, ts, signal: "BUY", model_v: "m", regime: "RANGE", expected_rr: 1 },
    ...{ confidence: 0.6, prob_buy: 0.6, prob_sell: 0.2, prob_no: 0.2 },
  };
  const made = await call("POST", "/admin/ingest/signals", { admin: true, body: { items: [item] } });
  expect(made.status, made.text).toBe(200);
  const [row] = await db().execute<{ seq: string }>(sql`select max(seq) as seq from signals`);
  return Number(row?.seq);
}

async function subscriber(wish: Parameters<typeof makeKey>[0] = {}) {
  const { keyId, key } = await makeKey({ rate_limit_per_min: 10_000, ...wish });
  const [row] = await db().execute<{ id: number }>(
    sql`select subscription_id as id from api_keys where id = ${keyId}`,
  );
  const id = row?.id ?? -1;
  const shown = async () => {
    await signalFetchBuffer().flush();
    return (await listSignalFetchAdvances(db(), id, addDays(new Date(), -1))).map(
      ({ atMs: _, ...advance }) => advance,
    );
  };
  return { id, key, shown };
}

describe("first fetches of a subscription", () => {
  beforeAll(async () => {
    await ingest();
  });

  it("a fetch that is repeated is recorded once for each signal number", async () => {
    const { key, shown } = await subscriber();
    const seq = await ingest();
    for (let n = 0; n < 5; n++) await call("GET", "/api/scan", { key });
    const one = { way: "scan", slotId: 0, minConfidence: 0, upTo: seq, reach: 1 };
    expect(await shown()).toEqual([one]);
    await call("GET", "/api/scan", { key });
    expect(await shown()).toEqual([one]);
    const next = await ingest();
    await call("GET", "/api/scan", { key });
    expect(await shown()).toEqual([one, { ...one, upTo: next }]);
  });

  it("no fetch is recorded of signals out of scope or for HEAD requests", async () => {
    const { key, shown } = await subscriber({ plan_tier: "basic" });
    const seq = await ingest("EURUSD", "H1");
    await call("HEAD", "/api/scan", { key });
    expect(await shown()).toEqual([]);
    await call("GET", "/api/scan", { key });
    await ingest("BTCUSD", "H1");
    await call("GET", "/api/scan", { key });
    expect((await shown()).map(({ upTo }) => upTo)).toEqual([seq]);
  });

  it("a fetch is recorded with its kind: long poll, confidence filter or slot history", async () => {
    const { key, shown } = await subscriber();
    const seq = await ingest("GBPUSD", "H4");
    await call("GET", "/api/scan?wait=1", { key });
    await call("GET", "/api/scan?min_confidence=0.5", { key });
    await call("GET", "/api/signals/GBPUSD/H4?limit=7", { key });
    const all = await shown();
    const [slot] = await db().execute<{ id: number }>(
      sql`select id from slots where symbol = 'GBPUSD' and timeframe = 'H4'`,
    );
    const by = (way: string) => all.filter((one) => one.way === way);
    expect(by("wait")).toEqual([{ way: "wait", slotId: 0, minConfidence: 0, upTo: seq, reach: 1 }]);
    expect(by("scan")).toEqual([{ way: "scan", slotId: 0, minConfidence: 0.5, upTo: seq, reach: 1 }]);
    expect(by("history")).toEqual([
      { way: "history", slotId: slot?.id, minConfidence: 0, upTo: seq, reach: 7 },
    ]);
  });

  it("a fetch is recorded for each streamed signal, and none for a signal committed before the stream opened", async () => {
    const { key, shown } = await subscriber();
    const before = await ingest();
    const request = new Request("http://localhost/api/stream", { headers: { "X-API-Key": key } });
    const stream = readEventStream(await apiApp(MOUNTS).fetch(request));
    const told = (event: string) => stream.events.filter((one) => one.event === event).length;
    await waitUntil(async () => told("status") > 0, 5_000);
    expect(await shown()).toEqual([]);
    const seq = await ingest();
    await waitUntil(async () => told("signal") === 1, 5_000);
    await waitUntil(async () => (await shown()).length > 0, 5_000);
    expect(await shown()).toEqual([
      { way: "stream", slotId: 0, minConfidence: 0, upTo: seq, reach: seq - before },
    ]);
    stream.close();
  });

  it("a fetch whose write fails is recorded later, and its requests are answered with 200", async () => {
    const { key, shown } = await subscriber();
    const seq = await ingest();
    await db().execute(sql`alter table fetch_days rename to fetch_days_away`);
    for (let n = 0; n < 2; n++) expect((await call("GET", "/api/scan", { key })).status).toBe(200);
    await db().execute(sql`alter table fetch_days_away rename to fetch_days`);
    expect((await shown()).map(({ upTo }) => upTo)).toEqual([seq]);
  });

  it("a fetch recorded again adds its time only if it is earlier", async () => {
    const { id } = await subscriber();
    const noon = Date.UTC(2026, 10, 20, 12);
    const one = { subscriptionId: id, way: "scan", slotId: 0, minConfidence: 0, upTo: 9, reach: 1 } as const;
    for (const atMs of [noon + 60_000, noon, noon + 90_000])
      await recordSignalFetchAdvances(db(), [{ ...one, atMs }]);
    const advances = await listSignalFetchAdvances(db(), id, new Date(noon));
    expect(advances.map(({ atMs }) => atMs)).toEqual([noon + 60_000, noon]);
  });

  it("the recording of fetches begins with the migration that added it", async () => {
    expect(Math.abs((await readSignalFetchRecordingStart(db())) - Date.now())).toBeLessThan(24 * 3_600_000);
  });
});
