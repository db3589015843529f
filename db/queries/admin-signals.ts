import { sql } from "drizzle-orm";
import type { Handle } from "../client";
import { epochMs, toInstant, toInstantOrNull } from "./instants";
import type { SignalDirection } from "./signals";

export interface JudgedSignal {
  signalId: number;
  ts: Date;
  modelV: string;
  signal: SignalDirection;
  confidence: number;
  probBuy: number;
  probSell: number;
  probNo: number;
  regime: string;
  expectedRr: number;
  createdAt: Date;
  /** null while the outcome is open. */
  outcome: {
    label: SignalDirection;
    resultR: number | null;
    exitReason: "TP" | "SL" | "TIMEOUT" | null;
    endedAt: Date;
  } | null;
}

/** Signals of one slot before an instant, newest first, each with what became of it; those of one candle stay together. */
export async function listJudgedSignals(
  handle: Handle,
  query: { slotId: number; before: Date | null; limit: number },
): Promise<JudgedSignal[]> {
  const before = query.before === null ? sql`` : sql`and g.ts < ${query.before.toISOString()}::timestamptz`;
  const rows = await handle.execute<{
    id: string;
    ts_ms: string;
    model_v: string;
    signal: SignalDirection;
    confidence: number;
    prob_buy: number;
    prob_sell: number;
    prob_no: number;
    regime: string;
    expected_rr: number;
    created_ms: string;
    label: SignalDirection | null;
    result_r: number | null;
    exit_reason: "TP" | "SL" | "TIMEOUT" | null;
    ended_ms: string | null;
  }>(sql`
    select g.id, ${epochMs("g.ts")} as ts_ms, g.model_v, g.signal, g.confidence, g.prob_buy, g.prob_sell, g.prob_no,
           g.regime, g.expected_rr, ${epochMs("g.created_at")} as created_ms, o.label, o.result_r, o.exit_reason,
           ${epochMs("o.ended_at")} as ended_ms
      from (select * from signals g where slot_id = ${query.slotId} ${before} order by ts desc fetch first ${query.limit} rows with ties) g
      left join outcomes o on o.signal_id = g.id
     order by g.ts desc, g.id desc`);
  return rows.map((row) => {
    const endedAt = toInstantOrNull(row.ended_ms);
    return {
      signalId: Number(row.id),
      ts: toInstant(row.ts_ms),
      modelV: row.model_v,
      signal: row.signal,
      confidence: row.confidence,
      probBuy: row.prob_buy,
      probSell: row.prob_sell,
      probNo: row.prob_no,
      regime: row.regime,
      expectedRr: row.expected_rr,
      createdAt: toInstant(row.created_ms),
      outcome:
        row.label === null || endedAt === null
          ? null
          : { label: row.label, resultR: row.result_r, exitReason: row.exit_reason, endedAt },
    };
  });
}
