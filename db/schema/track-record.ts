import { sql } from "drizzle-orm";
import {
  check,
  customType,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { instant, oneOf } from "./columns";
import { slots } from "./market";

/** Kinds of sums per slot: of the signals, forecasts or results of a UTC day, or of the forecasts of a month. */
export const SUM_KINDS = ["signals", "forecasts", "results", "month"] as const;

/** Bytes as the driver returns them. */
const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

const slotId = () =>
  integer("slot_id")
    .notNull()
    .references(() => slots.id);

/**
 * Dirty days: days whose sums are missing or outdated, so that statistics read the single signals and outcomes.
 * Triggers on `signals` and `outcomes` add a day in the transaction of each row; the worker adds months, and removes
 * each day and month in the transaction that sums it up.
 */
export const dirtyDays = pgTable(
  "dirty_days",
  {
    kind: text("kind", { enum: SUM_KINDS }).notNull(),
    slotId: slotId(),
    /** The UTC day; for the kind `month` the first day of the month. */
    day: date("day").notNull(),
    touchedAt: instant("touched_at").notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.slotId, t.day] }),
    // the next days that the worker sums, newest first
    index("dirty_days_newest").on(t.kind, t.day),
    check("dirty_days_kind", oneOf(t.kind, SUM_KINDS)),
  ],
);

/** Sums of the live signals of a slot and model, by the UTC date of `ts`. */
export const signalDays = pgTable(
  "signal_days",
  {
    slotId: slotId(),
    day: date("day").notNull(),
    modelV: text("model_v").notNull(),
    n: integer("n").notNull(),
    nBuy: integer("n_buy").notNull(),
    nSell: integer("n_sell").notNull(),
    confidence: doublePrecision("confidence").notNull(),
    probBuy: doublePrecision("prob_buy").notNull(),
    probSell: doublePrecision("prob_sell").notNull(),
    probNo: doublePrecision("prob_no").notNull(),
    expectedRr: doublePrecision("expected_rr").notNull(),
    /** Number of signals by regime. */
    regimes: jsonb("regimes").$type<Record<string, number>>().notNull(),
    firstTs: instant("first_ts").notNull(),
    lastTs: instant("last_ts").notNull(),
    firstClose: instant("first_close").notNull(),
    lastClose: instant("last_close").notNull(),
    /** Sum of the confidence of BUY and SELL signals. */
    followedConfidence: doublePrecision("followed_confidence").notNull(),
    /** First `ts` of a BUY or SELL signal; null: there is none. */
    firstFollowedTs: instant("first_followed_ts"),
    /** Last `ts` of a BUY or SELL signal; null: there is none. */
    lastFollowedTs: instant("last_followed_ts"),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.day, t.modelV] })],
);

/** Sums of the resolved forecasts of a slot and model, by the UTC day or month in which their candles closed. */
export const forecastDays = pgTable(
  "forecast_days",
  {
    span: text("span", { enum: ["day", "month"] }).notNull(),
    slotId: slotId(),
    day: date("day").notNull(),
    modelV: text("model_v").notNull(),
    firstClose: instant("first_close").notNull(),
    /** Scores of all forecasts, in a format of `lib/signals/quality`. */
    tally: bytes("tally").notNull(),
    /** The independent results of BUY and SELL signals, in a format of `lib/signals/quality`. */
    chain: bytes("chain").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.span, t.slotId, t.day, t.modelV] }),
    check("forecast_days_span", sql`${t.span} in ('day', 'month')`),
  ],
);

/** Sums in R of the results of BUY and SELL signals of a slot and model, by the UTC day on which the results ended. */
export const resultDays = pgTable(
  "result_days",
  {
    slotId: slotId(),
    day: date("day").notNull(),
    modelV: text("model_v").notNull(),
    /** Earliest close of the candles of the summed signals. A window uses this row only if it begins before that close. */
    firstClose: instant("first_close").notNull(),
    n: integer("n").notNull(),
    wins: integer("wins").notNull(),
    losses: integer("losses").notNull(),
    gainR: doublePrecision("gain_r").notNull(),
    lossR: doublePrecision("loss_r").notNull(),
    totalR: doublePrecision("total_r").notNull(),
    drawdownR: doublePrecision("drawdown_r").notNull(),
    highR: doublePrecision("high_r").notNull(),
    lowR: doublePrecision("low_r").notNull(),
    buyWins: integer("buy_wins").notNull(),
    buyLosses: integer("buy_losses").notNull(),
    sellWins: integer("sell_wins").notNull(),
    sellLosses: integer("sell_losses").notNull(),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.day, t.modelV] })],
);
