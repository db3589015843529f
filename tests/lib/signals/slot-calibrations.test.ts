import type postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { db } from "@/db/client";
import { listNewestForecasts } from "@/db/queries/track-record";
import { effectiveScope, OWNER_GRANT } from "@/lib/access/plans";
import { type Calibrations, readModelAndSlotCalibrations } from "@/lib/signals/quality/calibration";
import { slotCalibrationOf } from "@/lib/signals/quality/slot-calibration";
import { addDays } from "@/lib/time";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { statementsOf } from "@/tests/support/sent-statements";

useDatabase();

const DAYS = 30;
const now = new Date();
const scope = effectiveScope(OWNER_GRANT);
let sql: postgres.Sql;
let slots: { id: number; symbol: string }[] = [];

/** `n` hours of forecasts of every slot ending `hoursAgo` hours ago, each with its outcome. */
async function forecast(symbols: string[], n: number, hoursAgo: number, backfilled = false): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      with made as (
        insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr, backfilled)
        select (select coalesce(max(seq), 0) from signals) + row_number() over (), s.id, at - interval '1 hour', at, 'm1', 'NO_TRADE', 0.4, 0.3, 0.3, 0.4, 'RANGE', 1.5, ${backfilled}
          from slots s, generate_series(0, ${n - 1}::int) i,
               lateral (select ${now.toISOString()}::timestamptz - make_interval(hours => ${hoursAgo}::int + i) as at) t
         where s.symbol in ${tx(symbols)}
        returning *)
      insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance, label, buy_r, sell_r, ended_at)
      select id, slot_id, model_v, closes_at, signal, '1', 1, 0.1, (array['BUY', 'SELL', 'NO_TRADE'])[1 + id % 3], 0, 0, closes_at from made`;
  });
}

beforeAll(async () => {
  sql = connectDirectly();
  await sql`insert into symbols (symbol, calendar, digits) select 'CAL' || n, 'crypto', 5 from generate_series(1, 3) n`;
  slots = await sql`
    insert into slots (symbol, timeframe) select 'CAL' || n, 'H1' from generate_series(1, 3) n returning id, symbol`;
  await sql`insert into models (slot_id, model_v, is_active, trained_at) select id, 'm1', true, now() from slots`;
  await forecast(["CAL1", "CAL2"], 300, 10);
  await forecast(["CAL3"], 20, 10, true);
});
afterAll(() => sql.end());

/** The rows, and the number of statements that read their forecasts. */
async function read(bins = 10) {
  let rows: Calibrations["slots"] = [];
  const sent = await statementsOf(async () => {
    rows = (await readModelAndSlotCalibrations(scope, { days: DAYS, bins }, now)).value.slots;
  });
  return {
    rows,
    statements: sent.filter(({ text }) => text.includes("order by o.closes_at desc limit")).length,
  };
}

async function judgedNow(bins = 10) {
  const rows = [];
  for (const { id } of slots) {
    const [first, ...others] = await listNewestForecasts(db("heavy"), {
      slotIds: [id],
      since: addDays(now, -DAYS),
      limit: 5_000,
    });
    if (first) rows.push(slotCalibrationOf([first, ...others], bins));
  }
  return rows;
}

it("the calibration of slots reads forecasts again only for changed slots", async () => {
  const first = await read();
  expect(first.statements).toBe(1);
  expect(first.rows.map(({ symbol, n }) => [symbol, n])).toEqual([
    ["CAL1", 300],
    ["CAL2", 300],
  ]);
  expect(first.rows).toEqual(await judgedNow());
  expect(await read()).toEqual({ rows: first.rows, statements: 0 });
  expect((await read(20)).statements, "of another number of bins").toBe(1);

  await forecast(["CAL2"], 1, 9);
  const after = await read();
  expect(after.statements).toBe(1);
  expect(after.rows[0]).toBe(first.rows[0]);
  expect(after.rows[1]?.n).toBe(301);

  await sql`update models set class_freq = array[0.2, 0.2, 0.6] where slot_id = ${slots[0]?.id ?? 0}`;
  const renewed = await read();
  expect(renewed.rows[0]?.brier_baseline).not.toBe(after.rows[0]?.brier_baseline);
  expect(renewed.rows[1]).toBe(after.rows[1]);
  expect(renewed.rows).toEqual(await judgedNow());
});
