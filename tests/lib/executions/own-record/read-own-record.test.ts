import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { DIFFERENCE_PARTS, microRToR } from "@/lib/executions/own-record/decompose";
import { readOwnRecord } from "@/lib/executions/own-record/read-own-record";
import { UTC_CLOCK } from "@/lib/market/clock";
import { useDatabase } from "@/tests/support/database";

useDatabase();

const HOUR_MS = 3_600_000;
const now = new Date("2026-11-20T12:00:00Z");
const hour = (n: number, seconds = 0) =>
  new Date(Date.UTC(2026, 10, 19) + n * HOUR_MS + seconds * 1_000).toISOString();
const EVERYTHING = { symbols: null, timeframes: null };

/**
 * Hourly BUY signals of EURUSD from hour 0 on, each made ten seconds after its candle: entry 1.1000, D 0.0010, and
 * +1.92 R after a cost of 0.08 R. Hour 3 is NO_TRADE.
 */
async function seed() {
  const sql = db().$client;
  await sql`update settings set value = to_jsonb(timestamptz '2026-11-01') where name = 'fetches_since'`;
  await sql`insert into slots (id, symbol, timeframe) overriding system value values (1, 'EURUSD', 'H1')`;
  for (let n = 0; n < 8; n++) {
    const signal = n === 3 ? "NO_TRADE" : "BUY";
    await sql`
      insert into signals (id, seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr, created_at)
      overriding system value
      values (${n + 1}, ${n + 1}, 1, ${hour(n)}, ${hour(n + 1)}, 'm', ${signal}, 0.6, 0.6, 0.2, 0.2, 'RANGE', 2, ${hour(n + 1, 10)})`;
    if (n < 7)
      await sql`
        insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance, label, buy_r, sell_r, result_r, exit_price, exit_reason, ended_at)
        values (${n + 1}, 1, 'm', ${hour(n + 1)}, ${signal}, 'v', 1.1, 0.001, 'BUY', 1.92, -1.08, ${signal === "BUY" ? 1.92 : null}, ${signal === "BUY" ? 1.102 : null}, ${signal === "BUY" ? "TP" : null}, ${hour(n + 13)})`;
    await sql`insert into candles (slot_id, ts, open, high, low, close) values (1, ${hour(n)}, 1.1, 1.102, 1.099, ${1.1 + n / 10_000})`;
  }
  await sql`insert into subscriptions (id, user_name, created_at) overriding system value values (901, 'Own', '2026-01-01'), (902, 'Other', '2026-01-01'), (903, 'New', ${hour(6)})`;
  // Fetched 30 s after each was made, except those of hours 1 to 3.
  const day = Date.UTC(2026, 10, 19);
  const fetched = [1, 5, 6, 7, 8];
  const atMs = fetched.map((n) => Date.parse(hour(n, 40)) - day);
  await sql`insert into fetch_days (subscription_id, day, way, slot_id, min_confidence, up_to, reach, at_ms)
    values (901, '2026-11-19', 'scan', 0, 0, ${fetched}, ${fetched.map(() => 1)}, ${atMs})`;
  const open = (ticket: number, openedAt: string, entry: number, exit: number | null, owner = 901) => sql`
    insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, closed_at, entry_price, exit_price, pnl)
    values (${owner}, ${ticket}, 'EURUSD', 'EURUSD', 'H1', 'BUY', ${openedAt}, ${exit === null ? null : hour(20)}, ${entry}, ${exit}, ${exit === null ? null : (exit - entry) * 100_000})`;
  await open(1, hour(1, 45), 1.1001, 1.102);
  await open(2, hour(5, 50), 1.1, 1.101);
  await open(3, hour(6, 50), 1.1, null);
  await open(4, hour(-3), 1.1, 1.101);
  await open(5, hour(1, 45), 1.1, 1.102, 902);
}

describe("a subscriber's own record", () => {
  beforeAll(seed);
  const read = (subscriptionId: number, subscribedAt = new Date("2026-01-01T00:00:00Z")) =>
    readOwnRecord(db(), { subscriptionId, subscribedAt, scope: EVERYTHING, days: 7, clock: UTC_CLOCK }, now);

  it("the own record counts signals made, fetched, followed and closed, with the median time of each step", async () => {
    const { funnel, slots, nOthers } = await read(901);
    expect(funnel).toEqual({
      ...{ nMade: 7, nFetchKnown: 7, nFetched: 5, nFollowed: 3, nClosed: 2 },
      ...{ madeMs: 10_000, fetchMs: 30_000, followMs: 10_000, nFollowTimes: 3 },
      closeMs: (19 - 45 / 3600 + 15 - 50 / 3600) * 0.5 * HOUR_MS,
    });
    expect(slots).toEqual([{ symbol: "EURUSD", timeframe: "H1", ...funnel }]);
    expect(nOthers).toBe(1);
  });

  it("the own record splits the result difference into parts, from the subscriber's own positions only", async () => {
    const { model, parts, own } = (await read(901)).decomposition;
    const told = Object.fromEntries(
      DIFFERENCE_PARTS.map((name) => [name, [parts[name].n, microRToR(parts[name].microR)]]),
    );
    expect([model.n, microRToR(model.microR)]).toEqual([6, 11.52]);
    expect(told).toEqual({
      unknown: [0, 0],
      ...{ notFetched: [2, -3.84], notFollowed: [1, -1.92], withoutResult: [1, -1.92], again: [0, 0] },
      ...{ late: [2, 0], slippage: [2, 0.06], ownExits: [2, -1] },
    });
    expect([own.n, microRToR(own.microR)]).toEqual([2, 2.9]);
  });

  it("the own record splits the result of unfollowed signals by reported reason, to the last millionth", async () => {
    const { parts } = (await read(901)).decomposition;
    const sql = db().$client;
    const tell = (signalId: number, reason: string, at: string, terminal: string, owner = 901) => sql`
      insert into untraded_signals (subscription_id, signal_id, terminal, reason, at)
      values (${owner}, ${signalId}, ${terminal}, ${reason}, ${at})`;
    await tell(2, "SPREAD", hour(2), "one");
    await tell(2, "TOO_LATE", hour(3), "two");
    // Signal 1 was traded, so its reason does not count.
    await tell(1, "SPREAD", hour(2), "one");
    await tell(3, "PAUSE", hour(3), "one");
    await tell(5, "HOURS", hour(5), "one", 902);
    const { decomposition, newest } = await read(901);
    await sql`delete from untraded_signals`;
    const { notFetched, notFollowed } = decomposition.parts;
    const told = decomposition.whyNot.map(({ reason, n, microR }) => [reason, n, microRToR(microR)]);
    expect(told.length).toBeGreaterThan(0);
    expect(decomposition.whyNot.reduce((sum, { microR }) => sum + microR, 0n)).toBe(notFollowed.microR);
    expect(notFetched.microR + notFollowed.microR).toBe(parts.notFetched.microR + parts.notFollowed.microR);
    expect(told).toContainEqual(["PAUSE", 1, -1.92]);
    expect(told.map(([reason]) => reason)).not.toContain("HOURS");
    expect(newest.flatMap(({ why }) => why?.reason ?? []).toSorted()).toEqual(["PAUSE", "TOO_LATE"]);
  });

  it("the own record reports slippage by symbol in price and money, and counts entries by hour and month", async () => {
    const { bySymbol, byHour, byMonth } = await read(901);
    expect(bySymbol[0]).toMatchObject({ key: "EURUSD", n: 2, nMoney: 2 });
    expect(bySymbol[0]?.slippagePrice).toBeCloseTo(0.000_03, 8);
    expect(bySymbol[0]?.slippageMoney).toBeCloseTo(6, 4);
    expect(byHour.map(({ key, n }) => [key, n])).toEqual([
      ["01", 1],
      ["05", 1],
    ]);
    expect(byMonth.map(({ key, n }) => [key, n])).toEqual([["2026-11", 2]]);
  });

  it("the own record's calibration has a count and a null hit rate below the minimum sample", async () => {
    const bin = (await read(901)).calibration.find(({ n }) => n > 0);
    expect(bin).toMatchObject({ lo: 0.6, n: 3, nCameTrue: 3, hitRate: null, ci95: null });
  });

  it("the own record starts with the subscription, and counts fetches only since they are recorded", async () => {
    expect((await read(903, new Date(hour(6)))).funnel).toMatchObject({
      nMade: 3,
      nFetched: 0,
      nFollowed: 0,
    });
    // Excludes signals made later for candles that were over when the subscription began.
    await db().$client`update signals set created_at = ${hour(30)} where id = 1`;
    const own = { subscriptionId: 903, subscribedAt: new Date(hour(6)), days: 7, clock: UTC_CLOCK };
    const scope = { symbols: ["EURUSD"], timeframes: null };
    expect((await readOwnRecord(db(), { ...own, scope }, now)).funnel.nMade).toBe(3);
    await db().$client`update signals set created_at = ${hour(1, 10)} where id = 1`;
    await db()
      .$client`update settings set value = to_jsonb(${hour(4)}::timestamptz) where name = 'fetches_since'`;
    const { funnel, fetchesSince, decomposition } = await read(901);
    expect(fetchesSince?.toISOString()).toBe(hour(4));
    expect(funnel).toMatchObject({ nMade: 7, nFetchKnown: 4, nFetched: 4 });
    const { unknown, notFetched, notFollowed } = decomposition.parts;
    expect([unknown.n, notFetched.n, notFollowed.n]).toEqual([2, 0, 1]);
  });

  it("the own record does not count a signal as missed that was made too late to be fetched in time", async () => {
    const sql = db().$client;
    await sql`update settings set value = to_jsonb(${hour(-24)}::timestamptz) where name = 'fetches_since'`;
    const before = (await read(901)).decomposition.parts;
    const { newest } = await read(901);
    // The oldest one: the signal before it was fetched, and stays so when its replacement is made later.
    const missed = newest.findLast(({ fetch, signal }) => fetch === null && signal.resultR !== null);
    const late = hour(30);
    await sql`update signals set created_at = ${late} where id = ${missed?.signal.signalId ?? 0}`;
    const own = { subscriptionId: 901, subscribedAt: new Date("2026-01-01"), days: 7, clock: UTC_CLOCK };
    // Another scope, because signals are cached by scope.
    const scope = { symbols: ["EURUSD"], timeframes: ["H1"] };
    const { decomposition, funnel } = await readOwnRecord(db(), { ...own, scope }, now);
    expect(decomposition.parts.notFetched.n).toBe(before.notFetched.n - 1);
    expect(decomposition.parts.unknown.n).toBe(1);
    expect(funnel).toMatchObject({ nMade: 7, nFetchKnown: 6 });
  });
});
