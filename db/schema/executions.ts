import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { SIDES } from "@/lib/vocabulary";
import { createdAt, exactInteger, instant } from "./columns";
import { subscriptions } from "./subscriptions";

/** Positions that a subscriber's client reported. */
export const executions = pgTable(
  "executions",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    ticket: exactInteger("ticket").notNull(),
    /** signals.id of the signal that the position followed; null: not reported, or no such signal. */
    predId: bigint("pred_id", { mode: "number" }),
    symbol: text("symbol").notNull(),
    /** The broker's name of the instrument, as sent. */
    symbolSent: text("symbol_sent").notNull(),
    timeframe: text("timeframe").notNull(),
    signal: text("signal", { enum: SIDES }).notNull(),
    confidence: doublePrecision("confidence"),
    openedAt: instant("opened_at").notNull(),
    closedAt: instant("closed_at"),
    entryPrice: numeric("entry_price"),
    exitPrice: numeric("exit_price"),
    pnl: numeric("pnl"),
    result: text("result"),
    /** Size of the position in lots; null: not reported. */
    volume: numeric("volume"),
    /** In `currency`; null: not reported. */
    commission: numeric("commission"),
    /** In `currency`; null: not reported. */
    swap: numeric("swap"),
    currency: text("currency"),
    /** MetaTrader's magic number, which marks the positions of one client on an account; null: not reported. */
    magic: numeric("magic"),
    comment: text("comment"),
    /** Name of the terminal that reported the position first; null: it sent no name. */
    terminal: text("terminal"),
    /**
     * Whether the position closed before it opened, or opened over a minute after the report, by the reported times.
     */
    clockSuspect: boolean("clock_suspect").notNull().default(false),
    createdAt: createdAt(),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (t) => [
    // exactly one row per subscription and ticket, however often and however concurrently it is reported
    uniqueIndex("executions_ticket").on(t.subscriptionId, t.ticket),
    // operator's search: executions with a ticket
    index("executions_ticket_alone").on(t.ticket),
    // a subscriber's executions by opening, newest first
    index("executions_opened").on(t.subscriptionId, t.openedAt, t.id),
    // a subscriber's executions by closing, and open ones
    index("executions_closed").on(t.subscriptionId, t.closedAt),
    // closed executions that changed since the time up to which a subscriber marked events as read
    index("executions_reported").on(t.subscriptionId, t.updatedAt).where(sql`closed_at is not null`),
    check("executions_ticket_positive", sql`${t.ticket} > 0`),
  ],
);

/**
 * Totals of a subscription's executions by UTC day of the opening. Triggers on `executions` maintain them in the
 * transaction of each change, so that a summary over a year reads one row per day.
 */
export const executionDays = pgTable(
  "execution_days",
  {
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    day: date("day").notNull(),
    nTotal: integer("n_total").notNull(),
    nClosed: integer("n_closed").notNull(),
    nWins: integer("n_wins").notNull(),
    nLosses: integer("n_losses").notNull(),
    grossProfit: numeric("gross_profit").notNull(),
    /** Sum of the losses, as a positive amount. */
    grossLoss: numeric("gross_loss").notNull(),
  },
  (t) => [primaryKey({ columns: [t.subscriptionId, t.day] })],
);

/**
 * A counter per subscription that triggers increase with every change of its executions, in the same transaction. By this
 * counter an open page notices that it is outdated.
 */
export const executionVersionCounters = pgTable("execution_versions", {
  subscriptionId: integer("subscription_id")
    .primaryKey()
    .references(() => subscriptions.id),
  version: bigint("version", { mode: "number" }).notNull(),
});

/** Changes of executions by later reports about the same position, with the former and the new values. */
export const executionChanges = pgTable(
  "execution_changes",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    executionId: bigint("execution_id", { mode: "number" })
      .notNull()
      .references(() => executions.id),
    keyId: integer("key_id").notNull(),
    requestId: text("request_id").notNull(),
    before: jsonb("before").notNull(),
    after: jsonb("after").notNull(),
    at: instant("at").notNull().defaultNow(),
  },
  (t) => [
    // history of one execution
    index("execution_changes_execution").on(t.executionId),
    // operator's search: changes by a request
    index("execution_changes_request").on(t.requestId),
  ],
);

/** Refused reports with their reasons, so that subscribers can fix their clients. */
export const rejectedReports = pgTable(
  "rejected_reports",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    keyId: integer("key_id").notNull(),
    requestId: text("request_id").notNull(),
    code: text("code").notNull(),
    errors: jsonb("errors").$type<{ loc: (string | number)[]; msg: string; type: string }[]>().notNull(),
    /** The first 1,000 characters of the request body. */
    bodyExcerpt: text("body_excerpt").notNull(),
    at: instant("at").notNull().defaultNow(),
  },
  (t) => [
    // a subscriber's newest refusals
    index("rejected_reports_subscription").on(t.subscriptionId, t.at),
    // operator's search: why a request was refused
    index("rejected_reports_request").on(t.requestId),
  ],
);
