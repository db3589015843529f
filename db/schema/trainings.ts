import {
  bigint,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { CHAMPION_CHANGES } from "@/lib/vocabulary";
import { instant } from "./columns";
import { slots } from "./market";

/**
 * Trainings of slots, with their scores and the resulting champion. If something else changes the champion during a training,
 * the training is not stored. Rows never change.
 */
export const trainings = pgTable(
  "trainings",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    trainedAt: instant("trained_at").notNull().defaultNow(),
    durationMs: integer("duration_ms").notNull(),
    /** Number of training candles. */
    nCandles: integer("n_candles").notNull(),
    /** Open time of the first training candle. */
    fromTs: instant("from_ts").notNull(),
    /** Open time of the last training candle. */
    toTs: instant("to_ts").notNull(),
    /** SHA-256 of the training candles, hexadecimal. */
    dataHash: text("data_hash").notNull(),
    /** The recipe of the champion after the training, or `baseline`. */
    champion: text("champion").notNull(),
    change: text("change", { enum: CHAMPION_CHANGES }).notNull(),
    reason: text("reason").notNull(),
    /** Significance level, over all trainings together, at which the slot's own evidence promotes a challenger. */
    level: doublePrecision("level").notNull(),
    /** `models.model_v` of the champion after the training. */
    modelV: text("model_v").notNull(),
    /**
     * Number of folds, out-of-sample evaluation of recipes, comparisons between recipes, and weekly scores by recipe.
     */
    scores: jsonb("scores").notNull(),
  },
  (t) => [
    // the last training of each slot, and the number of its trainings
    index("trainings_slot").on(t.slotId, t.trainedAt.desc()),
  ],
);

/**
 * The online calibration of a trained model's p = P(not NO_TRADE) from the start of a UTC day on: logit p' = a + b logit p
 * + c1 sin t + c2 cos t, with t the New York time of day, + d on weekends. Written in the transaction of that day's first
 * signal; rows never change.
 */
export const onlineCalibrations = pgTable(
  "online_calibrations",
  {
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    modelV: text("model_v").notNull(),
    day: instant("day").notNull(),
    a: doublePrecision("a").notNull(),
    b: doublePrecision("b").notNull(),
    c1: doublePrecision("c1").notNull().default(0),
    c2: doublePrecision("c2").notNull().default(0),
    d: doublePrecision("d").notNull().default(0),
    /** Number of forecasts from which the calibration was learnt, including those of the walk-forward. */
    n: integer("n").notNull(),
    /** Open time of the candle of the last of these forecasts. */
    learntTo: instant("learnt_to").notNull(),
    /** State from which learning continues on the next day. */
    learnt: jsonb("learnt").$type<{ curvature: readonly number[]; pull: readonly number[] }>().notNull(),
  },
  (t) => [
    // one calibration per day, whichever process produces the signals; also the newest of a model
    primaryKey({ columns: [t.slotId, t.modelV, t.day] }),
  ],
);
