import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { CostUnit, Direction, ExitReason } from "@/lib/vocabulary";
import { columns, number, type Row, safeInteger, text, timestamp, timestampMs } from "./columns";
import { array } from "./parameters";
import { versionIncrement } from "./versions";

const OPEN_SIGNAL = columns({
  signalId: safeInteger("g.id"),
  ts: timestampMs("o.ts"),
  modelV: text("g.model_v"),
  closesAt: timestamp("g.closes_at"),
  signal: text<Direction>("g.signal"),
  expectedRr: number("g.expected_rr"),
  stop: number<number | null>("g.stop"),
  target: number<number | null>("g.target"),
  horizonCandles: number<number | null>("g.horizon_candles"),
});
export type OpenSignal = Row<typeof OPEN_SIGNAL>;

/** Number of signals that wait for their outcome, by slot id. */
export async function countOpenOutcomes(handle: DatabaseHandle): Promise<Map<number, number>> {
  const rows = await handle.execute<{ slot_id: number; n: number }>(
    sql`select slot_id, count(*)::int as n from open_outcomes group by 1`,
  );
  return new Map(rows.map((row) => [row.slot_id, row.n]));
}

/**
 * Signals of a slot that wait for their outcome and whose candle is stored, oldest first. With `after` only those whose
 * candle opened after it (epoch ms).
 */
export async function listOpenSignals(
  handle: DatabaseHandle,
  slotId: number,
  wanted: { after: number | null; limit: number },
): Promise<OpenSignal[]> {
  const after =
    wanted.after === null ? sql`` : sql`and o.ts > ${new Date(wanted.after).toISOString()}::timestamptz`;
  return OPEN_SIGNAL.all(
    handle,
    sql`
    select ${OPEN_SIGNAL.list}
      from open_outcomes o
      join candles c on c.slot_id = o.slot_id and c.ts = o.ts
      join signals g on g.id = o.signal_id
     where o.slot_id = ${slotId} ${after}
     order by o.ts, g.id
     limit ${wanted.limit}`,
  );
}

export interface OutcomeRow {
  signalId: number;
  modelV: string;
  closesAt: Date;
  signal: Direction;
  ruleVersion: string;
  entryPrice: number;
  barrierDistance: number;
  label: Direction;
  buyR: number;
  sellR: number;
  resultR: number | null;
  exitPrice: number | null;
  exitReason: ExitReason | null;
  endedAt: Date;
}

/** Stores outcomes of a slot's signals, whose results contain `cost`. An existing outcome is kept. Returns the number of new ones. */
export async function insertOutcomes(
  handle: DatabaseHandle,
  slotId: number,
  rows: OutcomeRow[],
  cost: { kind: CostUnit; value: number },
): Promise<number> {
  if (rows.length === 0) return 0;
  const signalIds = rows.map((row) => row.signalId);
  const numbers = (pick: (row: OutcomeRow) => number | null) => array(rows.map(pick), "float8");
  const texts = (pick: (row: OutcomeRow) => string | null) => array(rows.map(pick), "text");
  const [result] = await handle.execute<{ n: number }>(sql`
    with written as (
      insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance,
                            label, buy_r, sell_r, result_r, exit_price, exit_reason, ended_at, cost_kind, cost_value)
      select signal_id, ${slotId}::int, model_v, to_timestamp(closes_ms / 1000.0), signal, rule_version, entry_price,
             barrier_distance, label, buy_r, sell_r, result_r, exit_price, exit_reason, to_timestamp(ended_ms / 1000.0),
             ${cost.kind}::text, ${cost.value}::float8
        from unnest(${array(signalIds, "bigint")}, ${texts((row) => row.modelV)}, ${numbers((row) => row.closesAt.getTime())}, ${texts((row) => row.signal)},
                    ${texts((row) => row.ruleVersion)}, ${numbers((row) => row.entryPrice)},
                    ${numbers((row) => row.barrierDistance)}, ${texts((row) => row.label)},
                    ${numbers((row) => row.buyR)}, ${numbers((row) => row.sellR)}, ${numbers((row) => row.resultR)},
                    ${numbers((row) => row.exitPrice)}, ${texts((row) => row.exitReason)},
                    ${numbers((row) => row.endedAt.getTime())})
          as t(signal_id, model_v, closes_ms, signal, rule_version, entry_price, barrier_distance, label, buy_r, sell_r,
               result_r, exit_price, exit_reason, ended_ms)
      on conflict (signal_id) do nothing
      returning 1)
    select count(*)::int as n from written`);
  return result?.n ?? 0;
}

/** Removes signals from the list of signals that wait for their outcome. */
export async function deleteOpenOutcomes(handle: DatabaseHandle, signalIds: number[]): Promise<void> {
  await handle.execute(sql`delete from open_outcomes where signal_id = any(${array(signalIds, "bigint")})`);
}

/** Increases the version of outcomes, so that every replica notices changed track records. */
export async function bumpOutcomesVersion(handle: DatabaseHandle): Promise<void> {
  await handle.execute(sql`update state_versions set ${versionIncrement("outcomes")} where id = 1`);
}
