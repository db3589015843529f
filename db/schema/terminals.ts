import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { NOT_TRADED_REASONS, TIMEFRAMES } from "@/lib/vocabulary";
import { instant, oneOf } from "./columns";
import { subscriptions } from "./subscriptions";

/** Trading terminals that name themselves when they call, so that several of one key are told apart. */
export const terminals = pgTable(
  "terminals",
  {
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** As the client made it, of its account and server. */
    terminal: text("terminal").notNull(),
    /** The broker's server, as the terminal names it; null: not told. */
    server: text("server"),
    /** `demo`, `real` or `contest`; null: not told. */
    account: text("account"),
    firstSeenAt: instant("first_seen_at").notNull().defaultNow(),
    lastSeenAt: instant("last_seen_at").notNull(),
    nCalls: bigint("n_calls", { mode: "number" }).notNull().default(0),
  },
  (t) => [
    // one row a terminal; also the terminals of one subscription
    primaryKey({ columns: [t.subscriptionId, t.terminal] }),
  ],
);

/** When a subscriber held the own trading clients back: in one slot, or in all (both null). */
export const ownPauses = pgTable(
  "own_pauses",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    symbol: text("symbol"),
    timeframe: text("timeframe", { enum: TIMEFRAMES }),
    startedAt: instant("started_at").notNull().defaultNow(),
    endedAt: instant("ended_at"),
  },
  (t) => [
    // one pause in force for each slot, however often the button is pressed; also those that a key's look-up reads
    uniqueIndex("own_pauses_open")
      .on(t.subscriptionId, sql`coalesce(symbol, '')`, sql`coalesce(timeframe, '')`)
      .where(sql`ended_at is null`),
    // the pauses of one subscription, for its export and its deletion
    index("own_pauses_subscription").on(t.subscriptionId),
    check("own_pauses_target", sql`num_nonnulls(${t.symbol}, ${t.timeframe}) in (0, 2)`),
  ],
);

/** Why a client did not trade a signal, as it told last. */
export const untradedSignals = pgTable(
  "untraded_signals",
  {
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** signals.id */
    signalId: bigint("signal_id", { mode: "number" }).notNull(),
    /** Of the terminal that told it; empty: it did not name itself. */
    terminal: text("terminal").notNull().default(""),
    reason: text("reason", { enum: NOT_TRADED_REASONS }).notNull(),
    /** The terminal's own error code; null: there is none. */
    errorCode: integer("error_code"),
    at: instant("at").notNull().defaultNow(),
  },
  (t) => [
    // one row for each signal and terminal, however often it is told; also those of one subscription's signals
    primaryKey({ columns: [t.subscriptionId, t.signalId, t.terminal] }),
    // deletion of what is older than it is kept
    index("untraded_signals_at").on(t.at),
    check("untraded_signals_reason", oneOf(t.reason, NOT_TRADED_REASONS)),
  ],
);
