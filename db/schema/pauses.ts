import { sql } from "drizzle-orm";
import { check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { TIMEFRAMES } from "@/lib/vocabulary";
import { instant, oneOf } from "./columns";
import { symbols } from "./market";

/**
 * Pauses of signals by the operator: of one slot, a symbol, or every slot. A pause lasts until `ended_at` is set, by the
 * operator or, after `until`, by the worker: it is in force while `ended_at` is null, even if `until` has passed.
 */
export const pauses = pgTable(
  "pauses",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    /** null: every symbol. */
    symbol: text("symbol").references(() => symbols.symbol),
    /** null: every timeframe. */
    timeframe: text("timeframe", { enum: TIMEFRAMES }),
    /** Reason of the pause, which subscribers see. */
    reason: text("reason").notNull(),
    startedAt: instant("started_at").notNull(),
    /** Planned end; null: none, the operator ends the pause. */
    until: instant("until"),
    endedAt: instant("ended_at"),
    startedBy: text("started_by").notNull(),
    endedBy: text("ended_by"),
  },
  (t) => [
    // one current pause per target; also the list of current pauses
    uniqueIndex("pauses_open")
      .on(sql`coalesce(${t.symbol}, '')`, sql`coalesce(${t.timeframe}, '')`)
      .where(sql`ended_at is null`),
    // pauses by their start, newest first
    index("pauses_started").on(t.startedAt),
    check("pauses_timeframe", oneOf(t.timeframe, TIMEFRAMES)),
    check("pauses_target", sql`${t.timeframe} is null or ${t.symbol} is not null`),
    check("pauses_end", sql`${t.endedAt} >= ${t.startedAt}`),
  ],
);
