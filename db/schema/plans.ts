import { sql } from "drizzle-orm";
import { boolean, check, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { createdAt } from "./columns";

/** The plans, with scope, features and price. The four plans of the API specification always exist. */
export const plans = pgTable(
  "plans",
  {
    /** The plan's name in the API. It never changes. */
    name: text("name").primaryKey(),
    title: text("title").notNull(),
    /** Target group, shown on the site. */
    forWhom: text("for_whom").notNull().default(""),
    /** Order of the plans: of concurrent plans, the one with the highest rank counts as the key's plan. */
    rank: integer("rank").notNull(),
    /** Symbols that the plan includes; null: all. */
    symbols: text("symbols").array(),
    /** Timeframes that the plan includes; null: all. */
    timeframes: text("timeframes").array(),
    rateLimitPerMin: integer("rate_limit_per_min").notNull(),
    longPoll: boolean("long_poll").notNull().default(true),
    stream: boolean("stream").notNull().default(true),
    webhooks: boolean("webhooks").notNull().default(false),
    telegram: boolean("telegram").notNull().default(true),
    /** Whether buyers are asked to connect a trading client; false: they read the signals in a chat. */
    tradingClient: boolean("trading_client").notNull().default(true),
    /** The price as text for pages; null: no price is shown. */
    priceText: text("price_text"),
    /** Address of the shop that sells the plan; null: none. */
    shopUrl: text("shop_url"),
    /** Whether the site shows the plan for sale. */
    isShown: boolean("is_shown").notNull().default(true),
    createdAt: createdAt(),
  },
  (t) => [
    // unique ranks, so that plans are strictly ordered
    uniqueIndex("plans_rank").on(t.rank),
    check("plans_name", sql`${t.name} ~ '^[a-z][a-z0-9_-]{1,23}$'`),
    check("plans_rate_limit", sql`${t.rateLimitPerMin} between 1 and 100000`),
    // the operator's plan `owner` always includes every symbol and timeframe
    check("plans_owner", sql`${t.name} <> 'owner' or (${t.symbols} is null and ${t.timeframes} is null)`),
  ],
);
