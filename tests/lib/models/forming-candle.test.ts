import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { listSlotStates } from "@/db/queries/slots";
import { produceDueSignals } from "@/lib/models/producer/produce-due-signals";
import { makeBaselineChampion } from "@/lib/models/producer/register-baseline";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { ingest } from "@/tests/support/market-data";

useDatabase();

// A monthly candle is always still forming.
const now = new Date();
const monthStart = (monthsAgo: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo)).toISOString();
const candle = (monthsAgo: number, close = 1.1) => ({
  symbol: "EURUSD",
  timeframe: "MN1",
  ts: monthStart(monthsAgo),
  open: 1.1,
  high: 1.2,
  low: 1,
  close,
});

/** Makes all due signals; returns the candle of the latest. */
async function newestSignal(): Promise<string | undefined> {
  await produceDueSignals(workerDb(), new AbortController().signal);
  const [slot] = await listSlotStates(workerDb());
  return slot?.lastSignalTs?.toISOString();
}

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly(1);
});
afterAll(() => sql.end());

describe("a forming candle", () => {
  it("a forming candle is stored as the newest, without a signal", async () => {
    const past = Array.from({ length: 40 }, (_, i) => candle(40 - i));
    expect(await ingest("candles", [...past, candle(0)])).toMatchObject({ accepted: 41 });
    const [slot] = await listSlotStates(workerDb());
    expect(slot?.lastCandleTs?.toISOString()).toBe(monthStart(0));
    expect(slot?.lastSettledTs?.toISOString()).toBe(monthStart(1));
    await makeBaselineChampion(workerDb(), [slot?.slotId ?? 0], new Date(monthStart(40)));
    expect(await newestSignal()).toBe(monthStart(1));
  });

  it("a forming candle may change until it closes, and an identical one is a duplicate", async () => {
    expect(await ingest("candles", [candle(0, 1.12)])).toMatchObject({ accepted: 1, duplicates: 0 });
    expect(await ingest("candles", [candle(0, 1.12)])).toMatchObject({ accepted: 0, duplicates: 1 });
    expect(await newestSignal()).toBe(monthStart(1));
  });

  it("a forming candle counts as closed a minute after its close without another delivery", async () => {
    const [row] = await sql`select settles_at from candles where settles_at is not null`;
    expect(row?.settles_at.toISOString()).toBe(monthStart(-1).replace("00:00.000Z", "01:00.000Z"));
    await sql`update candles set settles_at = now() where settles_at is not null`;
    expect(await newestSignal()).toBe(monthStart(0));
  });

  it("a forming candle is final at once when sent again after its close", async () => {
    await sql`update candles set settles_at = now() + interval '1 hour' where ts = ${monthStart(1)}`;
    expect(await ingest("candles", [candle(1)])).toMatchObject({ accepted: 1, duplicates: 0 });
    expect(await sql`select 1 from candles where ts = ${monthStart(1)} and settles_at is null`).toHaveLength(
      1,
    );
  });
});
