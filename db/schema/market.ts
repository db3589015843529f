import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  date,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { COST_UNITS, DAY_OVERRIDE_KINDS, ODD_CANDLE_KINDS, TIMEFRAMES } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";

/**
 * Trading calendars. For a built-in calendar the row contains only its name and title. Any other calendar, preset or
 * added by the operator, also has its hours, which `lib/market/operator-calendars.ts` parses.
 */
export const calendars = pgTable(
  "calendars",
  {
    name: text("name").primaryKey(),
    title: text("title").notNull(),
    /** IANA name; null for a built-in calendar. */
    timeZone: text("time_zone"),
    /** Lines such as `Mon-Fri 09:00-17:30`; null for a built-in calendar. */
    hours: text("hours").array(),
    /** Yearly holidays, one rule each. */
    holidays: text("holidays").array().notNull().default(sql`'{}'::text[]`),
    createdAt: createdAt(),
  },
  (t) => [
    check("calendars_name", sql`${t.name} ~ '^[a-z][a-z0-9_]{1,23}$'`),
    check("calendars_own", sql`num_nulls(${t.timeZone}, ${t.hours}) in (0, 2)`),
  ],
);

/** Data of an instrument. Ingest adds unknown symbols. */
export const symbols = pgTable(
  "symbols",
  {
    symbol: text("symbol").primaryKey(),
    calendar: text("calendar")
      .notNull()
      .references(() => calendars.name),
    /** Decimal places of a price. */
    digits: smallint("digits").notNull(),
    /** Cost of a round trip: `absolute` in price units, `fraction` of the entry price. */
    costKind: text("cost_kind", { enum: COST_UNITS }).notNull().default("absolute"),
    costValue: doublePrecision("cost_value").notNull().default(0),
    /** Free text about the symbol, for administrators; null: none. */
    description: text("description"),
    /** Names that brokers use for the symbol, in upper case, in addition to the built-in ones. */
    aliases: text("aliases").array().notNull().default(sql`'{}'::text[]`),
    /** Whether the calendar is a guess that no operator has confirmed yet. */
    isGuessed: boolean("is_guessed").notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    // symbols with a guessed calendar, for the administrator's overview
    index("symbols_guessed").on(t.symbol).where(sql`is_guessed`),
    // the symbols of a calendar: a calendar in use cannot be deleted
    index("symbols_calendar_name").on(t.calendar),
    check("symbols_cost", sql`${oneOf(t.costKind, COST_UNITS)} and ${t.costValue} >= 0`),
  ],
);

/** Days on which the operator overrides a calendar's rules. */
export const dayOverrides = pgTable(
  "calendar_days",
  {
    calendar: text("calendar")
      .notNull()
      .references(() => calendars.name, { onDelete: "cascade" }),
    /** The day in the calendar's time zone, such as New York, or UTC for crypto. */
    day: date("day").notNull(),
    kind: text("kind", { enum: DAY_OVERRIDE_KINDS }).notNull(),
    /** Time of an early close, `HH:MM` in the calendar's time zone; null for the other kinds. */
    closesAt: text("closes_at"),
    /** Reason shown on pages. */
    note: text("note"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.calendar, t.day] }),
    check("calendar_days_kind", oneOf(t.kind, DAY_OVERRIDE_KINDS)),
    check(
      "calendar_days_early",
      sql`(${t.kind} = 'early') = (${t.closesAt} is not null) and ${t.closesAt} ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'`,
    ),
  ],
);

/** Slots: pairs of a symbol and a timeframe. Every signal is about one slot. */
export const slots = pgTable(
  "slots",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    symbol: text("symbol")
      .notNull()
      .references(() => symbols.symbol),
    timeframe: text("timeframe", { enum: TIMEFRAMES }).notNull(),
    createdAt: createdAt(),
  },
  (t) => [
    // slot look-up by name: ingest, history and scope
    uniqueIndex("slots_name").on(t.symbol, t.timeframe),
    check("slots_timeframe", oneOf(t.timeframe, TIMEFRAMES)),
  ],
);

/**
 * The operator's settings of single slots, which override the general ones; null: no override. Identified by symbol and
 * timeframe, because settings may be stored before the slot has a row and an id.
 */
export const slotSettings = pgTable(
  "slot_settings",
  {
    symbol: text("symbol").notNull(),
    timeframe: text("timeframe", { enum: TIMEFRAMES }).notNull(),
    /** Minutes of open market, in addition to the timeframe, after which the slot's newest signal counts as stale. */
    graceMinutes: integer("grace_minutes"),
    isTrained: boolean("is_trained"),
    /** Hours between two trainings. */
    trainEveryHours: integer("train_every_hours"),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.symbol, t.timeframe] }),
    check("slot_settings_timeframe", oneOf(t.timeframe, TIMEFRAMES)),
    check("slot_settings_grace", sql`${t.graceMinutes} between 0 and 10080`),
    check("slot_settings_training", sql`${t.trainEveryHours} between 1 and 8784`),
  ],
);

/**
 * Candles without any price change that a vendor sent for a closed market, such as a weekend. Stored separately, so that
 * they are not used for signals, outcomes and models.
 */
export const idleCandles = pgTable(
  "idle_candles",
  {
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    /** Open time. */
    ts: instant("ts").notNull(),
    /** Open, high, low and close, which are equal. */
    price: doublePrecision("price").notNull(),
    volume: doublePrecision("volume"),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.ts] })],
);

/**
 * Stored candles that look wrong. Trainings leave out bad ticks and convert the prices before a split. The candles are
 * listed in the administrator's area.
 */
export const oddCandles = pgTable(
  "odd_candles",
  {
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    /** Open time. */
    ts: instant("ts").notNull(),
    kind: text("kind", { enum: ODD_CANDLE_KINDS }).notNull(),
    /** For a bad tick, its distance from the neighbouring prices as a share of the price; for a split, new / old price. */
    size: doublePrecision("size").notNull(),
    /** When a training first found the candle. */
    createdAt: createdAt(),
  },
  (t) => [
    // one row per candle
    primaryKey({ columns: [t.slotId, t.ts] }),
    // recently found odd candles
    index("odd_candles_created").on(t.createdAt),
    check("odd_candles_kind", oneOf(t.kind, ODD_CANDLE_KINDS)),
  ],
);

/**
 * Candles. The primary key orders a slot's candles by time, so that the newest candle or a range of candles is found by one
 * index look-up, however many rows there are.
 */
export const candles = pgTable(
  "candles",
  {
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    /** Open time. */
    ts: instant("ts").notNull(),
    open: doublePrecision("open").notNull(),
    high: doublePrecision("high").notNull(),
    low: doublePrecision("low").notNull(),
    close: doublePrecision("close").notNull(),
    volume: doublePrecision("volume"),
    /**
     * For a candle that was written before it closed: one minute after its close. Until then it may change and is not
     * used. null: it was written after its close.
     */
    settlesAt: instant("settles_at"),
  },
  (t) => [
    primaryKey({ columns: [t.slotId, t.ts] }),
    check(
      "candles_range",
      sql`${t.high} >= greatest(${t.open}, ${t.close}) and ${t.low} <= least(${t.open}, ${t.close}) and ${t.low} > 0`,
    ),
  ],
);
