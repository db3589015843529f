import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { NOT_TRADED_REASONS, TIMEFRAMES } from "@/lib/vocabulary";
import { instant, oneOf } from "./columns";
import { subscriptions } from "./subscriptions";

/** Trading terminals that send a name, so that several with one key can be distinguished. */
export const terminals = pgTable(
  "terminals",
  {
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** The terminal's name, as the client sends it in the header `X-Terminal`. */
    terminal: text("terminal").notNull(),
    /** The broker's server, as the terminal names it; null: not sent. */
    server: text("server"),
    /** `demo`, `real` or `contest`; null: not sent. */
    account: text("account"),
    firstSeenAt: instant("first_seen_at").notNull().defaultNow(),
    lastSeenAt: instant("last_seen_at").notNull(),
    nCalls: bigint("n_calls", { mode: "number" }).notNull().default(0),
  },
  (t) => [
    // one row per terminal; also the terminals of one subscription
    primaryKey({ columns: [t.subscriptionId, t.terminal] }),
  ],
);

/** Pauses that subscribers set for their own trading clients: of one slot, or of every slot (both null). */
export const subscriberPauses = pgTable(
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
    // one current pause per target, however often the button is pressed; also a subscription's pauses for a key look-up
    uniqueIndex("own_pauses_open")
      .on(t.subscriptionId, sql`coalesce(symbol, '')`, sql`coalesce(timeframe, '')`)
      .where(sql`ended_at is null`),
    // the pauses of one subscription, for export and deletion
    index("own_pauses_subscription").on(t.subscriptionId),
    check("own_pauses_target", sql`num_nonnulls(${t.symbol}, ${t.timeframe}) in (0, 2)`),
  ],
);

/** Why a trading client did not trade a signal, by its latest report. */
export const untradedSignals = pgTable(
  "untraded_signals",
  {
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    /** signals.id */
    signalId: bigint("signal_id", { mode: "number" }).notNull(),
    /** Name of the terminal that reported it; empty: it sent no name. */
    terminal: text("terminal").notNull().default(""),
    reason: text("reason", { enum: NOT_TRADED_REASONS }).notNull(),
    /** The terminal's error code; null: none reported. */
    errorCode: integer("error_code"),
    at: instant("at").notNull().defaultNow(),
  },
  (t) => [
    // one row per signal and terminal, however often a reason is reported; also all reports of a subscription
    primaryKey({ columns: [t.subscriptionId, t.signalId, t.terminal] }),
    // next rows for retention
    index("untraded_signals_at").on(t.at),
    check("untraded_signals_reason", oneOf(t.reason, NOT_TRADED_REASONS)),
  ],
);
