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

/** Every training of a slot's models and its decision. Rows never change. */
export const trainings = pgTable(
  "trainings",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    trainedAt: instant("trained_at").notNull().defaultNow(),
    durationMs: integer("duration_ms").notNull(),
    /** Training candles: number, first and last open time, and a hash of their values. */
    nCandles: integer("n_candles").notNull(),
    fromTs: instant("from_ts").notNull(),
    toTs: instant("to_ts").notNull(),
    dataHash: text("data_hash").notNull(),
    /** The recipe that forecasts from now on, or `baseline`. */
    champion: text("champion").notNull(),
    change: text("change", { enum: CHAMPION_CHANGES }).notNull(),
    reason: text("reason").notNull(),
    /** Error probability of each promoting comparison over all trainings, after sharing among challengers and slots. */
    level: doublePrecision("level").notNull(),
    /** models.model_v of the resulting model. */
    modelV: text("model_v").notNull(),
    /** Out-of-sample scores of every challenger. */
    scores: jsonb("scores").notNull(),
  },
  (t) => [
    // the last training of each slot, and their number
    index("trainings_slot").on(t.slotId, t.trainedAt.desc()),
  ],
);

/**
 * The online calibration of a trained model: logit p' = a + b logit p + c1 sin + c2 cos of the New York time of day,
 * + d on weekends, of "moves or not", as of the start of a UTC day. Written before the first signal of that day; rows
 * never change.
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
    /** Number of forecasts learnt from, those of the walk-forward included. */
    n: integer("n").notNull(),
    /** Candle of the last of them. */
    learntTo: instant("learnt_to").notNull(),
    /** State of the learning, for the next day to continue. */
    learnt: jsonb("learnt").$type<{ curvature: readonly number[]; pull: readonly number[] }>().notNull(),
  },
  (t) => [
    // one calibration per day, whichever process produces the signals; also the newest of a model
    primaryKey({ columns: [t.slotId, t.modelV, t.day] }),
  ],
);
