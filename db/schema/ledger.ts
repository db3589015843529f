import { sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  check,
  customType,
  date,
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
import { FORECASTERS, LEDGER_KINDS } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { slots } from "./market";
import { models, signals } from "./signals";

const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });
const whole = (name: string) => bigint(name, { mode: "number" });

/** The leaves of the ledger's tree, in the order of appending. Rows never change. */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    /** Index of the entry: 0, 1, 2 and so on, without a gap. */
    index: whole("index").primaryKey(),
    kind: text("kind", { enum: LEDGER_KINDS }).notNull(),
    /** Subject of the entry: `signal/17`, `candles/EURUSD/H1/2026-11-20T10:00:00Z`. */
    subject: text("subject").notNull(),
    /** Canonical JSON (RFC 8785): the bytes of the leaf. */
    content: text("content").notNull(),
    leafHash: bytes("leaf_hash").notNull(),
    at: instant("at").notNull(),
  },
  (t) => [
    // exactly one entry per kind and subject, however often it is attempted
    uniqueIndex("ledger_entries_subject").on(t.kind, t.subject),
    check("ledger_entries_kind", oneOf(t.kind, LEDGER_KINDS)),
  ],
);

/** Hashes of complete subtrees from level 1 up; level 0 is the leaves. A proof reads one row per step. */
export const ledgerNodes = pgTable(
  "ledger_nodes",
  {
    level: smallint("level").notNull(),
    /** The subtree's first leaf has the index position x 2^level. */
    position: whole("position").notNull(),
    hash: bytes("hash").notNull(),
  },
  (t) => [primaryKey({ columns: [t.level, t.position] })],
);

/** Checkpoints: the sizes of the ledger that were signed and published, with their roots. */
export const ledgerCheckpoints = pgTable("ledger_checkpoints", {
  size: whole("size").primaryKey(),
  root: bytes("root").notNull(),
  /** The signed note, as it is served. */
  note: text("note").notNull(),
  at: instant("at").notNull().defaultNow(),
});

/**
 * Keys that sign checkpoints and receipts. Key 1 is the first; every later key is introduced by a hand-over that its
 * predecessor signs. The keys are random, except a key 1 that was taken over from LEDGER_KEY or from release 1.2.0.
 */
export const ledgerKeys = pgTable("ledger_keys", {
  id: integer("id").primaryKey(),
  /** The key's 32 bytes, hexadecimal, encrypted. */
  seedEncrypted: text("seed_encrypted").notNull(),
  createdAt: createdAt(),
});

/** Progress of the ledger. One row, locked by the appending transaction. */
export const ledgerState = pgTable(
  "ledger_state",
  {
    id: integer("id").primaryKey().default(1),
    size: whole("size").notNull().default(0),
    /** signals.seq up to which signals were checked. Backtests and signals of a second model get no entry. */
    lastSeq: whole("last_seq").notNull().default(0),
    /** Why the service refuses to sign checkpoints; null: it signs them. */
    refusal: text("refusal"),
    /** When `last_seq` or `folded` last increased. */
    settledAt: instant("settled_at"),
    /** Number of ledger entries that the record's sums include: equal to `size` unless the sums are being recomputed. */
    folded: whole("folded").notNull().default(0),
    /** Name of the rule by which the record's sums were computed. If the rule changes, all sums are recomputed. */
    recordRule: text("record_rule"),
    /** How often the record's sums were restarted from zero. */
    recordEpoch: integer("record_epoch").notNull().default(0),
  },
  (t) => [check("ledger_state_single", sql`${t.id} = 1`)],
);

/** Signals in the ledger: the indexes of their entries, and the salts of their commitments. */
export const ledgerSignals = pgTable(
  "ledger_signals",
  {
    signalId: whole("signal_id")
      .primaryKey()
      .references(() => signals.id),
    slotId: integer("slot_id").notNull(),
    /** Copied from the signal by a trigger. */
    modelV: text("model_v").notNull().default(""),
    /** Salt of the signal's commitment: 32 random bytes, hexadecimal. null for a signal without a commitment. */
    salt: text("salt"),
    /** This and the next two columns are indexes of ledger entries; null: no such entry. */
    commitment: whole("commitment"),
    reveal: whole("reveal"),
    outcome: whole("outcome"),
    /** Whether the signal was committed in time; never changed once set. null: entered by release 1.2.0, not decided yet. */
    inTime: boolean("in_time"),
    /** Whether the market was simulated when the signal was entered. null: entered by release 1.3.0 or earlier. */
    simulated: boolean("simulated"),
  },
  (t) => [
    // signals whose outcome is not in the ledger yet
    index("ledger_signals_open").on(t.signalId).where(sql`outcome is null`),
    // resolved signals in the order of entry
    uniqueIndex("ledger_signals_outcome").on(t.outcome),
    // resolved signals of one slot in the order of entry
    index("ledger_signals_slot").on(t.slotId, t.outcome),
    // resolved signals of one model of a slot in the order of entry
    index("ledger_signals_model").on(t.slotId, t.modelV, t.outcome).where(sql`outcome is not null`),
    // resolved signals of one slot that were committed in time, or that were not, in the order of entry
    index("ledger_signals_part").on(t.slotId, t.inTime, t.outcome).where(sql`outcome is not null`),
  ],
);

/** By slot: open times of the oldest and the newest candle whose hashes are in the ledger. */
export const sealedCandleRanges = pgTable("sealed_candle_ranges", {
  slotId: integer("slot_id")
    .primaryKey()
    .references(() => slots.id),
  sealedFrom: instant("sealed_from").notNull(),
  sealedTo: instant("sealed_to").notNull(),
});

/**
 * Outbox of the ledger: promotions, corrections and claims that are not entered yet, each written in the transaction of
 * the change that it reports. A row is deleted when its entry is made.
 */
export const ledgerOutbox = pgTable(
  "ledger_outbox",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    kind: text("kind", { enum: LEDGER_KINDS }).notNull(),
    slotId: integer("slot_id").notNull(),
    content: jsonb("content").$type<Record<string, unknown>>().notNull(),
    at: instant("at").notNull().defaultNow(),
  },
  (t) => [check("ledger_outbox_kind", oneOf(t.kind, LEDGER_KINDS))],
);

/**
 * Claims: the expected figures of a model that this service trained, stored when the model became champion. A trigger
 * refuses any change of a row.
 */
export const modelClaims = pgTable("model_claims", {
  modelId: integer("model_id")
    .primaryKey()
    .references(() => models.id),
  /** Number of candles that the walk-forward evaluated. */
  n: integer("n").notNull(),
  /** 1 - Brier score / Brier score of the baseline. `skill_lo` and `skill_hi` are its 95 % interval; null: unknown. */
  skill: doublePrecision("skill").notNull(),
  skillLo: doublePrecision("skill_lo"),
  skillHi: doublePrecision("skill_hi"),
  ece: doublePrecision("ece").notNull(),
  eceLo: doublePrecision("ece_lo"),
  eceHi: doublePrecision("ece_hi"),
  /** Share of BUY and SELL among the model's forecasts, 0 to 1. */
  directionalShare: doublePrecision("directional_share").notNull(),
  directionalShareLo: doublePrecision("directional_share_lo"),
  directionalShareHi: doublePrecision("directional_share_hi"),
  maxDrawdownR: doublePrecision("max_drawdown_r").notNull(),
  maxDrawdownRLo: doublePrecision("max_drawdown_r_lo"),
  maxDrawdownRHi: doublePrecision("max_drawdown_r_hi"),
  sealedAt: instant("sealed_at").notNull().defaultNow(),
});

const ofDay = {
  slotId: integer("slot_id").notNull(),
  modelV: text("model_v").notNull(),
  /** UTC day on which the signals' candles closed. */
  day: date("day").notNull(),
};

/**
 * The public record's sums of forecasts by slot, model and day, as exact integers: Brier scores in 1e-9. They include
 * the forecasts that the record counts and whose outcome is among the first `ledger_state.folded` entries of the
 * ledger.
 */
export const recordDays = pgTable(
  "record_days",
  {
    ...ofDay,
    n: whole("n").notNull(),
    nIndependent: whole("n_independent").notNull(),
    nDirectional: whole("n_directional").notNull(),
    /** Of these, the number judged without a round-trip cost, because none was set for the symbol. */
    nWithoutCost: whole("n_without_cost").notNull().default(0),
    brier: whole("brier").notNull(),
    /**
     * Sum of the Brier scores of the reference forecast, which states the slot's class frequencies known at that time. A
     * signal with its own stop and target adds the model's Brier score instead.
     */
    brierFrequencies: whole("brier_frequencies").notNull(),
    /** Sum over the forecasts of (Brier score of the reference forecast - Brier score of the model) squared, in 1e-9. */
    gainSquares: whole("gain_squares").notNull(),
    /**
     * Sum over the forecasts that count as bets, in 1e-9: Brier score of the reference forecast less that of the model,
     * divided by the largest difference possible (at least 0.05).
     */
    evidence: whole("evidence").notNull(),
    /** Sum of the results of the BUY and SELL signals that count as bets, because they do not overlap, in 1e-6 R. */
    betR: whole("bet_r").notNull().default(0),
    /**
     * Value of `ledger_state.folded` after the last batch of outcomes that was added to the sums of this slot, model
     * and day. Each batch changes this table, so `entry` also tells of changes in `record_results` and `record_bins`. A
     * trigger writes it.
     */
    entry: whole("entry").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.slotId, t.modelV, t.day] }),
    // days of a slot to which outcomes were added since a ledger size
    index("record_days_entry").on(t.slotId, t.entry),
  ],
);

/**
 * The record's sums of results of BUY and SELL forecasts by slot, model, day and forecaster, as exact integers: results in
 * 1e-6 R.
 */
export const recordResults = pgTable(
  "record_results",
  {
    ...ofDay,
    forecaster: text("forecaster", { enum: FORECASTERS }).notNull(),
    n: whole("n").notNull(),
    nIndependent: whole("n_independent").notNull(),
    wins: whole("wins").notNull(),
    losses: whole("losses").notNull(),
    r: whole("r").notNull(),
    rSquares: whole("r_squares").notNull(),
    /** Sum of the results above zero. */
    gain: whole("gain").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.slotId, t.modelV, t.day, t.forecaster] }),
    check("record_results_forecaster", oneOf(t.forecaster, FORECASTERS)),
  ],
);

/**
 * The record's calibration sums by slot, model, day, forecaster and bin of the confidence, which is the highest of the
 * three probabilities. Sums of confidences and of squared errors are exact integers, in 1e-9.
 */
export const recordBins = pgTable(
  "record_bins",
  {
    ...ofDay,
    forecaster: text("forecaster", { enum: FORECASTERS }).notNull(),
    bin: smallint("bin").notNull(),
    n: whole("n").notNull(),
    nIndependent: whole("n_independent").notNull(),
    confidence: whole("confidence").notNull(),
    /** Number of forecasts whose most probable class came true. */
    hits: whole("hits").notNull(),
    /** Sum of (confidence - 1) squared where the most probable class came true, else of confidence squared; in 1e-9. */
    brier: whole("brier").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.slotId, t.modelV, t.day, t.forecaster, t.bin] }),
    check("record_bins_forecaster", oneOf(t.forecaster, FORECASTERS)),
  ],
);

/**
 * Sums by slot, model and day of the resolved signals of a real market that were not committed in time. The record does
 * not include these signals. Results in 1e-6 R.
 */
export const recordLate = pgTable(
  "record_late",
  {
    ...ofDay,
    n: whole("n").notNull(),
    /** Number of BUY and SELL signals among `n` for which an outcome could be computed. */
    nFollowed: whole("n_followed").notNull(),
    wins: whole("wins").notNull(),
    losses: whole("losses").notNull(),
    r: whole("r").notNull(),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.modelV, t.day] })],
);

/** Since when each slot has been offered, that is, since its first signal that was committed in time. */
export const recordSlots = pgTable("record_slots", {
  slotId: integer("slot_id")
    .primaryKey()
    .references(() => slots.id),
  /** Open time of the candle of the first signal that was committed in time; null: there is none yet. */
  offeredFrom: instant("offered_from"),
  /** UTC day on which the slot's coverage was last counted. */
  countedOn: date("counted_on").notNull(),
  /** Number of candles since `offered_from` that lie in the slot's trading hours and were not stored within a week. */
  nMissing: integer("n_missing").notNull().default(0),
  /** Open time of the last candle up to which `n_missing` is counted; null: it has not been counted yet. */
  missingCountedTo: instant("missing_counted_to"),
});

/** How many of a slot's candles have a signal that was committed in time, by UTC day of the candle's open. */
export const recordCoverage = pgTable(
  "record_coverage",
  {
    slotId: integer("slot_id").notNull(),
    day: date("day").notNull(),
    /** Number of the day's candles since the slot has been offered for which a commitment could no longer be in time. */
    nCandles: integer("n_candles").notNull(),
    /** Number of candles among `n_candles` with a signal that was committed in time. */
    nInTime: integer("n_in_time").notNull(),
    /** Number of candles among `n_in_time` whose commitment came more than a tenth of a candle's length after the close. */
    nSlow: integer("n_slow").notNull().default(0),
    /** Number of candles among `n_candles` that have signals in the ledger, but none that was committed in time. */
    nLate: integer("n_late").notNull(),
    /**
     * Sum over the candles of `n_late`: seconds from the close to the first ledger entry about their signal, or to the
     * count if there was no entry yet.
     */
    lateSeconds: whole("late_seconds").notNull(),
    /** Number of candles among `n_candles` that closed during a pause and have no signal in the ledger. */
    nPaused: integer("n_paused").notNull(),
    /** Number of resolved signals that were not committed in time, even of candles before the slot was offered. */
    nEnteredLater: integer("n_entered_later").notNull(),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.day] })],
);

/**
 * State from which the record's count of independent results continues, as comma-separated numbers. For a model: the end of
 * its last independent result of each kind, in epoch seconds; a result that begins before that end is not independent. The
 * row with an empty `model_v` is for the slot: ends of its last bets, close of the last counted candle, class counts.
 */
export const recordOverlapStates = pgTable(
  "record_overlaps",
  {
    slotId: integer("slot_id").notNull(),
    modelV: text("model_v").notNull(),
    busyUntil: text("busy_until").notNull(),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.modelV] })],
);
