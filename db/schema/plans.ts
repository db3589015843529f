import { sql } from "drizzle-orm";
import { boolean, check, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt } from "./columns";

/** The plans: what a key of each may see and use, and how a plan is sold. The four of the interface always exist. */
export const plans = pgTable(
  "plans",
  {
    /** The word on the wire. It never changes. */
    name: text("name").primaryKey(),
    title: text("title").notNull(),
    /** Whom it suits, on the site. */
    forWhom: text("for_whom").notNull().default(""),
    /** Of plans in force together, `plan_tier` names the one of the highest rank. */
    rank: integer("rank").notNull(),
    /** null: every symbol, and every timeframe. */
    symbols: text("symbols").array(),
    timeframes: text("timeframes").array(),
    rateLimitPerMin: integer("rate_limit_per_min").notNull(),
    longPoll: boolean("long_poll").notNull().default(true),
    stream: boolean("stream").notNull().default(true),
    webhooks: boolean("webhooks").notNull().default(false),
    telegram: boolean("telegram").notNull().default(true),
    /** Its buyers are asked to connect a trading client; false: its signals are read in a chat. */
    tradingClient: boolean("trading_client").notNull().default(true),
    /** What is shown as its price, and where it is bought; null: nothing. */
    priceText: text("price_text"),
    shopUrl: text("shop_url"),
    /** Whether the site offers it. */
    isShown: boolean("is_shown").notNull().default(true),
    createdAt: createdAt(),
  },
  (t) => [
    // one plan above the other, without a tie
    uniqueIndex("plans_rank").on(t.rank),
    check("plans_name", sql`${t.name} ~ '^[a-z][a-z0-9_-]{1,23}$'`),
    check("plans_rate_limit", sql`${t.rateLimitPerMin} between 1 and 100000`),
    // everything, always: the operator's own plan is never narrowed
    check("plans_owner", sql`${t.name} <> 'owner' or (${t.symbols} is null and ${t.timeframes} is null)`),
  ],
);
