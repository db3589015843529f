import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { epochMs, toInstant, toInstantOrNull } from "./instants";
import {
  SIGNAL_CONTENT,
  type SignalContent,
  type SignalContentColumns,
  type SignalDirection,
  toSignalContent,
} from "./signals";

export interface JudgedSignal extends SignalContent {
  signalId: number;
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
  const rows = await handle.execute<
    SignalContentColumns & {
      id: string;
      created_ms: string;
      label: SignalDirection | null;
      result_r: number | null;
      exit_reason: "TP" | "SL" | "TIMEOUT" | null;
      ended_ms: string | null;
    }
  >(sql`
    select g.id, ${SIGNAL_CONTENT}, ${epochMs("g.created_at")} as created_ms, o.label, o.result_r, o.exit_reason,
           ${epochMs("o.ended_at")} as ended_ms
      from (select * from signals g where slot_id = ${query.slotId} ${before} order by ts desc fetch first ${query.limit} rows with ties) g
      left join outcomes o on o.signal_id = g.id
     order by g.ts desc, g.id desc`);
  return rows.map((row) => {
    const endedAt = toInstantOrNull(row.ended_ms);
    return {
      signalId: Number(row.id),
      ...toSignalContent(row),
      createdAt: toInstant(row.created_ms),
      outcome:
        row.label === null || endedAt === null
          ? null
          : { label: row.label, resultR: row.result_r, exitReason: row.exit_reason, endedAt },
    };
  });
}
