import { beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { listIssuedSignals } from "@/db/queries/own-record";
import { listSlots, type SlotScope } from "@/db/queries/slots";
import { MAX_CACHED_SIGNALS, readIssuedSignals } from "@/lib/executions/own-record/cached-signals";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { explainTableScans, rowsRead } from "@/tests/support/query-plan";
import { statementsOf } from "@/tests/support/sent-statements";

useDatabase();

const SIGNALS = 16_000;
const NOW = Date.parse("2026-11-22T00:00:00Z");
const QUARTER_MS = 900_000;
const EVERYTHING = { symbols: null, timeframes: null };
const SCOPES: readonly SlotScope[] = [EVERYTHING, { symbols: ["KPT02"], timeframes: null }];

/** Two slots with a signal every quarter of an hour, two of three with a direction, all but the newest resolved. */
beforeAll(async () => {
  const sql = connectDirectly(1);
  await sql`insert into symbols (symbol, calendar, digits) values ('KPT01', 'crypto', 5), ('KPT02', 'crypto', 5)`;
  await sql`insert into slots (id, symbol, timeframe) overriding system value values (1, 'KPT01', 'M15'), (2, 'KPT02', 'M15')`;
  await sql`
    insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr, created_at)
    select n, 1 + n % 2, at - interval '15 minutes', at, 'm', (array['BUY', 'NO_TRADE', 'SELL'])[1 + (n / 2) % 3], .5, .5, .2, .3, 'R', 1, at + interval '5 seconds'
      from generate_series(1, ${SIGNALS}::int) n, lateral (select ${agoText(0)}::timestamptz - (${SIGNALS}::int - n) / 2 * interval '15 minutes' as at) t
     order by n`;
  await sql`
    insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance, label, buy_r, sell_r, result_r, exit_price, exit_reason, ended_at)
    select id, slot_id, model_v, closes_at, signal, '1', 1, .1, 'BUY', 1, -1, case when signal <> 'NO_TRADE' then 1 end,
           case when signal <> 'NO_TRADE' then 1.1 end, case when signal <> 'NO_TRADE' then 'TP' end, closes_at
      from signals where seq <= ${SIGNALS - 40}`;
  await sql`update state_versions set last_seq = ${SIGNALS}, signals = signals + 1, outcomes = outcomes + 1`;
  await sql.end();
});

const ago = (quarters: number) => new Date(NOW - quarters * QUARTER_MS);
const agoText = (quarters: number) => ago(quarters).toISOString();
const longAgo = new Date(0);

const read = async (scope: SlotScope, closedAfter: Date, madeAfter = longAgo) =>
  readIssuedSignals(db(), { scope, closedAfter, madeAfter }, await listSlots(db()));

/** Compares the cache with one statement that reads the same signals; those that close with the last one may differ. */
async function expectAllTold(closedAfter: Date, madeAfter = longAgo) {
  const names = new Map((await listSlots(db())).map((slot) => [slot.slotId, slot]));
  for (const scope of SCOPES) {
    const wanted = { scope, closedAfter, closedBefore: null, madeAfter, limit: MAX_CACHED_SIGNALS };
    const { signals } = await listIssuedSignals(db(), wanted, names);
    expect(await read(scope, closedAfter, madeAfter)).toEqual(signals.slice(0, MAX_CACHED_SIGNALS));
  }
}

/** Commits a further signal, for a candle that closed this many quarters of an hour after NOW. */
async function commit(slotId: number, quarters: number, signal = "BUY") {
  await db().$client`
    with moved as (update state_versions set last_seq = last_seq + 1, signals = signals + 1 returning last_seq)
    insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr, created_at)
    select last_seq, ${slotId}::int, ${agoText(1 - quarters)}, ${agoText(-quarters)}, 'm', ${signal}, .5, .5, .2, .3, 'R', 1,
           ${new Date(NOW + 3_600_000 + quarters).toISOString()} from moved`;
}

describe("the signal cache of a scope", () => {
  it("the signal cache returns the signals of the requested period, however far back an earlier read went", async () => {
    for (const closedAfter of [ago(30), ago(10), ago(300), longAgo, ago(30)])
      await expectAllTold(closedAfter);
    expect(await read(EVERYTHING, longAgo)).toHaveLength(MAX_CACHED_SIGNALS);
  });

  it("a second read of the same scope reads no outcomes from the database", async () => {
    const statements = await statementsOf(() => read(EVERYTHING, longAgo));
    expect(statements.filter(({ text }) => text.includes("from outcomes"))).toHaveLength(0);
  });

  it("the signal cache includes a new signal, and the time at which it replaced the previous one", async () => {
    const [newest] = await read(EVERYTHING, ago(30));
    expect(newest?.replacedMs).toBeNull();
    await commit(1, 1);
    await commit(2, 1, "NO_TRADE");
    await commit(1, 2, "NO_TRADE");
    await expectAllTold(ago(30));
    await expectAllTold(longAgo);
    const [, ...former] = await read(EVERYTHING, ago(30));
    expect(former.every(({ replacedMs }) => replacedMs !== null)).toBe(true);
  });

  it("the signal cache includes an outcome that was stored after the first read", async () => {
    const open = (await read(EVERYTHING, ago(30))).filter(({ label }) => label === null);
    const [one] = open;
    await db().$client`
      insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance, label, buy_r, sell_r, result_r, exit_price, exit_reason, ended_at)
      select id, slot_id, model_v, closes_at, signal, '1', 1, .1, 'SELL', 1, -1, -1, 0.9, 'SL', now() from signals where id = ${one?.signalId ?? 0}`;
    await db().$client`update state_versions set outcomes = outcomes + 1`;
    await expectAllTold(ago(30));
    const now = await read(EVERYTHING, ago(30));
    expect(now.filter(({ label }) => label === null)).toHaveLength(open.length - 1);
  });

  it("the signal cache includes a signal of an old candle that arrives late, and the time at which the next signal replaced it", async () => {
    await db()
      .$client`delete from outcomes where signal_id = (select id from signals where slot_id = 2 and closes_at = ${agoText(100)})`;
    await db().$client`delete from signals where slot_id = 2 and closes_at = ${agoText(100)}`;
    await db().$client`update state_versions set outcomes = outcomes + 1, last_seq = last_seq`;
    await commit(2, -100);
    await expectAllTold(longAgo);
  });

  it("the signal cache leaves out signals of a pause as soon as the pause applies", async () => {
    await db()
      .$client`insert into pauses (symbol, reason, started_at, started_by) values ('KPT02', 'r', ${agoText(9)}, 'test')`;
    await expectAllTold(ago(30));
    expect((await read(EVERYTHING, ago(8))).some(({ symbol }) => symbol === "KPT02")).toBe(false);
    await db().$client`update pauses set ended_at = ${agoText(4)}`;
    await expectAllTold(ago(30));
  });

  it("the signal cache of a later subscriber holds only signals made since the subscription, also those for older candles", async () => {
    await expectAllTold(longAgo, ago(50));
    // Made after the subscription, for a candle older than all cached ones.
    await commit(1, -SIGNALS);
    await expectAllTold(longAgo, ago(50));
    expect((await read(EVERYTHING, longAgo, ago(50))).at(-1)?.closesMs).toBe(ago(SIGNALS).getTime());
  });

  it("the signal cache is reloaded when a restored database reuses sequence numbers", async () => {
    await db()
      .$client`delete from outcomes where signal_id in (select id from signals where seq > ${SIGNALS})`;
    await db().$client`delete from signals where seq > ${SIGNALS}`;
    await db().$client`update state_versions set last_seq = ${SIGNALS}, outcomes = outcomes + 1`;
    for (const quarters of [1, 2, 3, 4, 5, 6]) await commit(1, quarters, "SELL");
    await expectAllTold(ago(30));
  });

  it("the signal cache reads fewer than 100,000 rows for 3,000 new signals of a slot", async () => {
    await read(EVERYTHING, longAgo);
    const nNew = 3_000;
    const later = 10_000;
    await db().$client`
      with moved as (update state_versions set last_seq = last_seq + ${nNew}, signals = signals + 1 returning last_seq - ${nNew} as seq)
      insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr, created_at)
      select seq + n, 1, ${agoText(1 - later)}::timestamptz + n * interval '15 minutes', ${agoText(-later)}::timestamptz + n * interval '15 minutes',
             'm', 'BUY', .5, .5, .2, .3, 'R', 1, ${agoText(-later)}::timestamptz + n * interval '15 minutes'
        from moved, generate_series(1, ${nNew}::int) n`;
    const scans = await explainTableScans(db().$client, "signals", () => read(EVERYTHING, longAgo));
    expect(rowsRead(scans)).toBeLessThan(100_000);
  });
});
