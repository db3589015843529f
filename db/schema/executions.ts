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

/** Positions as a subscriber's client reported them. */
export const executions = pgTable(
  "executions",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    subscriptionId: integer("subscription_id")
      .notNull()
      .references(() => subscriptions.id),
    ticket: exactInteger("ticket").notNull(),
    /** signals.id that was followed; null when not told or not known. */
    predId: bigint("pred_id", { mode: "number" }),
    symbol: text("symbol").notNull(),
    /** The broker's own name of the instrument, as sent. */
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
    /** Told by clients that tell more; null where it was not told. Amounts in `currency`. */
    volume: numeric("volume"),
    commission: numeric("commission"),
    swap: numeric("swap"),
    currency: text("currency"),
    /** The number by which a client tells its own positions from others of the account. */
    magic: numeric("magic"),
    comment: text("comment"),
    /** Of the terminal that reported it first; null: it did not name itself. */
    terminal: text("terminal"),
    /** The reported times look like a broker's clock sent as UTC. */
    clockSuspect: boolean("clock_suspect").notNull().default(false),
    createdAt: createdAt(),
    updatedAt: instant("updated_at").notNull().defaultNow(),
  },
  (t) => [
    // exactly one row per subscription and ticket, however often and however concurrently it is reported
    uniqueIndex("executions_ticket").on(t.subscriptionId, t.ticket),
    // the operator's search: whose position a ticket is
    index("executions_ticket_alone").on(t.ticket),
    // a subscriber's executions by opening, newest first
    index("executions_opened").on(t.subscriptionId, t.openedAt, t.id),
    // what a subscriber closed this month, and what is open
    index("executions_closed").on(t.subscriptionId, t.closedAt),
    // closes that were reported since a subscriber last looked
    index("executions_reported").on(t.subscriptionId, t.updatedAt).where(sql`closed_at is not null`),
    check("executions_ticket_positive", sql`${t.ticket} > 0`),
  ],
);

/**
 * Totals of a subscription's executions by the UTC day on which they opened. Kept by triggers on `executions` in the
 * transaction of each change, so that a summary over a year reads a row a day however many positions there were.
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
    /** A positive amount. */
    grossLoss: numeric("gross_loss").notNull(),
  },
  (t) => [primaryKey({ columns: [t.subscriptionId, t.day] })],
);

/**
 * A number for each subscription that grows with every change of its executions, kept by triggers in the transaction of
 * the change: an open page learns from it that it is out of date.
 */
export const executionVersions = pgTable("execution_versions", {
  subscriptionId: integer("subscription_id")
    .primaryKey()
    .references(() => subscriptions.id),
  version: bigint("version", { mode: "number" }).notNull(),
});

/** Every accepted change of an execution, with the values before it. */
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
    // the operator's search: what a request changed
    index("execution_changes_request").on(t.requestId),
  ],
);

/** Reports that were refused, with the reason, so that a subscriber can mend a clumsy client. */
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
    /** The first kilobyte of what was sent. */
    bodyExcerpt: text("body_excerpt").notNull(),
    at: instant("at").notNull().defaultNow(),
  },
  (t) => [
    // a subscriber's newest refusals
    index("rejected_reports_subscription").on(t.subscriptionId, t.at),
    // the operator's search: why a request was refused
    index("rejected_reports_request").on(t.requestId),
  ],
);
