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

/** Which sums of a slot and UTC day have to be made: of signals, of forecasts, of results, of a whole month. */
export const SUM_KINDS = ["signals", "forecasts", "results", "month"] as const;

/** Bytes as the driver brings them. */
const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

const slotId = () =>
  integer("slot_id")
    .notNull()
    .references(() => slots.id);

/**
 * Days whose sums do not hold what is stored, or are not made yet: readers take the rows themselves. Triggers on
 * `signals` and `outcomes` put a day here in the transaction of each row; the worker takes it off when it has summed
 * the day up.
 */
export const dirtyDays = pgTable(
  "open_days",
  {
    kind: text("kind", { enum: SUM_KINDS }).notNull(),
    slotId: slotId(),
    /** UTC; the first of it for a month. */
    day: date("day").notNull(),
    touchedAt: instant("touched_at").notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.slotId, t.day] }),
    // what the worker sums up next, the newest days first
    index("open_days_newest").on(t.kind, t.day),
    check("open_days_kind", oneOf(t.kind, SUM_KINDS)),
  ],
);

/** Live signals of a slot and model by the UTC date of `ts`. */
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
    /** Count by label. */
    regimes: jsonb("regimes").$type<Record<string, number>>().notNull(),
    firstTs: instant("first_ts").notNull(),
    lastTs: instant("last_ts").notNull(),
    firstClose: instant("first_close").notNull(),
    lastClose: instant("last_close").notNull(),
    /** Of BUY and SELL alone. */
    followedConfidence: doublePrecision("followed_confidence").notNull(),
    firstFollowedTs: instant("first_followed_ts"),
    lastFollowedTs: instant("last_followed_ts"),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.day, t.modelV] })],
);

/** Forecasts with an outcome, of a slot and model, by the UTC date on which their candle closed: a day, or a month. */
export const forecastDays = pgTable(
  "forecast_days",
  {
    span: text("span", { enum: ["day", "month"] }).notNull(),
    slotId: slotId(),
    day: date("day").notNull(),
    modelV: text("model_v").notNull(),
    firstClose: instant("first_close").notNull(),
    /** Scores of all, and the independent ones among the followed: in the form that `lib/signals/quality` writes. */
    tally: bytes("tally").notNull(),
    chain: bytes("chain").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.span, t.slotId, t.day, t.modelV] }),
    check("forecast_days_span", sql`${t.span} in ('day', 'month')`),
  ],
);

/** Results of followed directions of a slot and model by the UTC date on which they ended, in that order. Amounts in R. */
export const resultDays = pgTable(
  "result_days",
  {
    slotId: slotId(),
    day: date("day").notNull(),
    modelV: text("model_v").notNull(),
    /** The earliest close of a signal's candle: results belong to a window by that. */
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
