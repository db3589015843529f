import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { COST_UNITS, DIRECTIONS, EXIT_REASONS, FORECAST_SOURCES } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { slots } from "./market";

/** Versions of a slot's model. At most one per slot is the champion. */
export const models = pgTable(
  "models",
  {
    id: integer("id").primaryKey().generatedByDefaultAsIdentity(),
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    modelV: text("model_v").notNull(),
    /** Walk-forward AUC of BUY against SELL, out of sample. */
    aucWf: doublePrecision("auc_wf"),
    /** Walk-forward profit factor after costs, out of sample. */
    pfWf: doublePrecision("pf_wf"),
    /** Number of candles that were evaluated for `auc_wf` and `pf_wf`; null: unknown. */
    nWf: integer("n_wf"),
    /** When this service measured `auc_wf` and `pf_wf`; null: not measured by this service. */
    measuredAt: instant("measured_at"),
    isActive: boolean("is_active").notNull(),
    trainedAt: instant("trained_at").notNull(),
    /** Class frequencies of the training sample: BUY, SELL, NO_TRADE. */
    classFreq: doublePrecision("class_freq").array(),
    /** Distribution of each feature in the training sample, with which drift is measured. */
    featureStats: jsonb("feature_stats").$type<FeatureDriftReferences>(),
    /** Parameters of a model that this service trained; null for a baseline and for the operator's own models. */
    parameters: jsonb("parameters"),
    championSince: instant("champion_since"),
    createdAt: createdAt(),
  },
  (t) => [
    // idempotent ingest
    uniqueIndex("models_version").on(t.slotId, t.modelV),
    // one champion per slot; also the list of champions
    uniqueIndex("models_champion").on(t.slotId).where(sql`is_active`),
  ],
);

/** The operator's choice of who forecasts a slot. Slots without a choice have no row. */
export const slotForecastSources = pgTable(
  "slot_forecasters",
  {
    slotId: integer("slot_id")
      .primaryKey()
      .references(() => slots.id),
    forecastBy: text("forecast_by", { enum: FORECAST_SOURCES }).notNull(),
    createdAt: createdAt(),
  },
  (t) => [check("slot_forecasters_by", oneOf(t.forecastBy, FORECAST_SOURCES))],
);

/** By feature: the inner edges of bins, and the share of the training sample in each bin. */
export type FeatureDriftReferences = Record<
  string,
  {
    edges: number[];
    shares: number[];
    nullShare?: number;
    /** Thresholds of the stability index by sample size; missing for a model of the operator's own pipeline. */
    drift?: { n: number; watch: number; drifted: number }[];
  }
>;

/** Every signal ever recorded. Rows never change. */
export const signals = pgTable(
  "signals",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    /** Number in commit order: 1, 2, 3 and so on, without a gap. Assigned under the lock of all writers. */
    seq: bigint("seq", { mode: "number" }).notNull(),
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    /** Open time of the closed candle that the signal was produced from. */
    ts: instant("ts").notNull(),
    /** Close of the candle that opened at `ts`. Time windows of signals use this time. */
    closesAt: instant("closes_at").notNull(),
    modelV: text("model_v").notNull(),
    signal: text("signal", { enum: DIRECTIONS }).notNull(),
    confidence: doublePrecision("confidence").notNull(),
    probBuy: doublePrecision("prob_buy").notNull(),
    probSell: doublePrecision("prob_sell").notNull(),
    probNo: doublePrecision("prob_no").notNull(),
    /** P(NO_TRADE) before the online calibration, which learns from it; null for a model without online calibration. */
    rawProbNo: doublePrecision("raw_prob_no"),
    /**
     * Class frequencies (BUY, SELL, NO_TRADE) that the producer knew at the candle, else those of the model's training
     * sample when the signal was stored; null: neither is known.
     */
    classFreq: doublePrecision("class_freq").array(),
    regime: text("regime").notNull(),
    expectedRr: doublePrecision("expected_rr").notNull(),
    /** Stop price that the producer sent with the signal; null: the service's rule sets stop, target and horizon. */
    stop: doublePrecision("stop"),
    /** Target price that the producer sent with the signal; null: none sent. A signal may have a stop without a target. */
    target: doublePrecision("target"),
    /** Horizon that the producer sent with the signal, in candles; null if `stop` is. */
    horizonCandles: smallint("horizon_candles"),
    /**
     * Whether this service's producer created the signal after the fact, as a backtest. Such signals are excluded from
     * lists and figures of live signals.
     */
    backfilled: boolean("backfilled").notNull().default(false),
    /** Whether the signal is from the slot's second model. Then `backfilled` is true, too: live lists exclude the signal. */
    beside: boolean("beside").notNull().default(false),
    createdAt: createdAt(),
  },
  (t) => [
    // exactly one signal per slot, candle and model; also a slot's history newest first, at any size
    uniqueIndex("signals_slot_ts_model").on(t.slotId, t.ts, t.modelV),
    // unique numbers; also signals committed since a number
    uniqueIndex("signals_seq").on(t.seq),
    // signals that a stream missed: of each slot in scope, the newest ones after a number
    index("signals_slot_seq").on(t.slotId, t.seq),
    // signals of the last hours and days over all slots
    index("signals_closes_at").on(t.closesAt),
    // the newest signals over all slots, read backwards until enough are found
    index("signals_ts").on(t.ts, t.createdAt, t.id),
    // the newest BUY and SELL signals over all slots: few among many
    index("signals_directional_ts").on(t.ts, t.createdAt, t.id).where(sql`signal <> 'NO_TRADE'`),
    // signals of a slot's second model since a day: few among many
    index("signals_beside").on(t.slotId, t.ts).where(sql`beside`),
    // BUY and SELL signals of the last days, for track records
    index("signals_directional").on(t.closesAt).where(sql`signal <> 'NO_TRADE'`),
    check("signals_direction", oneOf(t.signal, DIRECTIONS)),
  ],
);

/** The newest live signal of each slot, updated in the transaction that stores the signal. */
export const latestSignals = pgTable("latest_signals", {
  slotId: integer("slot_id")
    .primaryKey()
    .references(() => slots.id),
  signalId: bigint("signal_id", { mode: "number" })
    .notNull()
    .references(() => signals.id),
  ts: instant("ts").notNull(),
  createdAt: instant("created_at").notNull(),
});

/**
 * Forecast ranges: how far the price may move within the horizon after a candle, and the actual move. On a real market only
 * a new candle gets a range. The range does not depend on the model: every signal of a candle has the candle's range.
 */
export const candleForecastRanges = pgTable(
  "candle_forecast_ranges",
  {
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    /** Open time of the candle. */
    ts: instant("ts").notNull(),
    closesAt: instant("closes_at").notNull(),
    /** Close of the candle: the origin of every distance, in price units. */
    close: doublePrecision("close").notNull(),
    /** Four rising quantiles of the largest move within the horizon in either direction, in price units. */
    either: doublePrecision("either").array().notNull(),
    up: doublePrecision("up").array().notNull(),
    down: doublePrecision("down").array().notNull(),
    /**
     * The actual largest move up within the horizon, in price units; null: not recorded, at least until the horizon
     * ends.
     */
    movedUp: doublePrecision("moved_up"),
    /** The actual largest move down within the horizon, in price units; null if `moved_up` is. */
    movedDown: doublePrecision("moved_down"),
    createdAt: createdAt(),
  },
  (t) => [
    // one range per candle; also the newest of a slot
    primaryKey({ columns: [t.slotId, t.ts] }),
    // a slot's ranges whose horizon may have ended
    index("candle_forecast_ranges_open").on(t.slotId, t.ts).where(sql`moved_up is null`),
    // coverage of the last days
    index("candle_forecast_ranges_closes_at").on(t.slotId, t.closesAt).where(sql`moved_up is not null`),
    check("candle_forecast_ranges_resolved", sql`num_nulls(${t.movedUp}, ${t.movedDown}) in (0, 2)`),
  ],
);

/** Versions that increase with each change. Caches compare them to detect that a cached answer is outdated. */
export const stateVersions = pgTable(
  "state_versions",
  {
    id: integer("id").primaryKey().default(1),
    signals: bigint("signals", { mode: "number" }).notNull().default(0),
    models: bigint("models", { mode: "number" }).notNull().default(0),
    outcomes: bigint("outcomes", { mode: "number" }).notNull().default(0),
    /** `seq` of the signal that was committed last; 0 before the first. */
    lastSeq: bigint("last_seq", { mode: "number" }).notNull().default(0),
  },
  (t) => [check("state_versions_single", sql`${t.id} = 1`)],
);

/**
 * The outcome of a signal, determined by the candles after it. Final once written. Slot, model, close of the candle,
 * direction and the backfilled flag are copied here, so that results can be summed without reading the signals.
 */
export const outcomes = pgTable(
  "outcomes",
  {
    signalId: bigint("signal_id", { mode: "number" })
      .primaryKey()
      .references(() => signals.id),
    slotId: integer("slot_id").notNull(),
    modelV: text("model_v").notNull(),
    closesAt: instant("closes_at").notNull(),
    signal: text("signal", { enum: DIRECTIONS }).notNull(),
    ruleVersion: text("rule_version").notNull(),
    entryPrice: doublePrecision("entry_price").notNull(),
    /**
     * Distance of the barriers from the entry price (D), in price units; for a signal with its own stop, that of the
     * stop.
     */
    barrierDistance: doublePrecision("barrier_distance").notNull(),
    /**
     * Class of the outcome, by the barrier that was touched first; NO_TRADE: none was, or both first in the same
     * candle.
     */
    label: text("label", { enum: DIRECTIONS }).notNull(),
    /** Result in R after costs of a BUY at this signal's barriers. */
    buyR: doublePrecision("buy_r").notNull(),
    /** Result in R after costs of a SELL at this signal's barriers. */
    sellR: doublePrecision("sell_r").notNull(),
    /** Result in R after costs of the signal's direction; null for NO_TRADE. */
    resultR: doublePrecision("result_r"),
    exitPrice: doublePrecision("exit_price"),
    exitReason: text("exit_reason", { enum: EXIT_REASONS }),
    /**
     * Close of the candle in which the followed position ended; for NO_TRADE, in which both a BUY and a SELL had ended.
     */
    endedAt: instant("ended_at").notNull(),
    /**
     * The round-trip cost in the results, as the symbol's settings had it when they were computed. Null in outcomes of
     * release 1.3.0 and earlier.
     */
    costKind: text("cost_kind", { enum: COST_UNITS }),
    costValue: doublePrecision("cost_value"),
    resolvedAt: instant("resolved_at").notNull().defaultNow(),
    /** Copied from the signal by a trigger. */
    backfilled: boolean("backfilled").notNull().default(false),
  },
  (t) => [
    // results of live signals since the time up to which a subscriber marked events as read
    index("outcomes_resolved")
      .on(t.resolvedAt, t.slotId, t.resultR)
      .where(sql`result_r is not null and not backfilled`),
    // one slot's track record, by day
    index("outcomes_slot").on(t.slotId, t.closesAt),
    // a slot's results that ended on one day; also its newest ones by end
    index("outcomes_slot_ended").on(t.slotId, t.endedAt).where(sql`result_r is not null`),
  ],
);

/** Signals that wait for their outcome. With this list the worker need not search all signals for them. */
export const openOutcomes = pgTable(
  "open_outcomes",
  {
    signalId: bigint("signal_id", { mode: "number" })
      .primaryKey()
      .references(() => signals.id),
    slotId: integer("slot_id").notNull(),
    ts: instant("ts").notNull(),
  },
  (t) => [
    // next signals of a slot to resolve, oldest first
    index("open_outcomes_slot").on(t.slotId, t.ts),
  ],
);

/** Values of the features of models, by candle. */
export const featureValues = pgTable(
  "feature_values",
  {
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    ts: instant("ts").notNull(),
    modelV: text("model_v").notNull(),
    values: jsonb("values").$type<Record<string, number | null>>().notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.ts, t.modelV] })],
);

/** Drift statistics of features, recomputed by the worker. */
export const featureStatistics = pgTable(
  "feature_statistics",
  {
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    modelV: text("model_v").notNull(),
    feature: text("feature").notNull(),
    n: integer("n").notNull(),
    nullPct: doublePrecision("null_pct").notNull(),
    /** Population stability index against the training sample; null: no training distribution, or under 100 values. */
    psi: doublePrecision("psi"),
    /** Value of `psi` from which on the feature's state is `watch`; null: 0.10. */
    watchAbove: doublePrecision("watch_above"),
    /** Value of `psi` above which the feature's state is `drifted`; null: 0.25. */
    driftedAbove: doublePrecision("drifted_above"),
    lastValueAt: instant("last_value_at"),
    computedAt: instant("computed_at").notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.modelV, t.feature] })],
);
