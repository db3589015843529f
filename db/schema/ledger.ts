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

/** The leaves of the ledger's tree, in the order in which they were appended. Rows never change. */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    /** 0, 1, 2 and so on, without a gap. */
    index: whole("index").primaryKey(),
    kind: text("kind", { enum: LEDGER_KINDS }).notNull(),
    /** What it is about: `signal/17`, `candles/EURUSD/H1/2026-11-20T10:00:00Z`. */
    subject: text("subject").notNull(),
    /** Canonical JSON (RFC 8785): the bytes of the leaf. */
    content: text("content").notNull(),
    leafHash: bytes("leaf_hash").notNull(),
    at: instant("at").notNull(),
  },
  (t) => [
    // exactly one entry of a kind about a subject, however often its writing was begun
    uniqueIndex("ledger_entries_subject").on(t.kind, t.subject),
    check("ledger_entries_kind", oneOf(t.kind, LEDGER_KINDS)),
  ],
);

/** Hashes of the tree's complete subtrees from level 1 on; level 0 are the leaves. A proof reads one row for each step. */
export const ledgerNodes = pgTable(
  "ledger_nodes",
  {
    level: smallint("level").notNull(),
    /** The subtree over the leaves from position x 2^level on. */
    position: whole("position").notNull(),
    hash: bytes("hash").notNull(),
  },
  (t) => [primaryKey({ columns: [t.level, t.position] })],
);

/** Every size of the ledger that was signed and published. */
export const ledgerCheckpoints = pgTable("ledger_checkpoints", {
  size: whole("size").primaryKey(),
  root: bytes("root").notNull(),
  /** The signed note, as it is served. */
  note: text("note").notNull(),
  at: instant("at").notNull().defaultNow(),
});

/**
 * The keys that checkpoints and receipts are signed with: 1, and each one that the one before it has handed over to. They
 * depend on no other secret.
 */
export const ledgerKeys = pgTable("ledger_keys", {
  id: integer("id").primaryKey(),
  /** 32 random bytes, hexadecimal, sealed. */
  seedEncrypted: text("seed_encrypted").notNull(),
  createdAt: createdAt(),
});

/** How far the ledger has come. One row, locked by whoever appends. */
export const ledgerState = pgTable(
  "ledger_state",
  {
    id: integer("id").primaryKey().default(1),
    size: whole("size").notNull().default(0),
    /** signals.seq up to which signals were looked at. */
    lastSeq: whole("last_seq").notNull().default(0),
    /** Why no checkpoint is signed; null: nothing stands against it. */
    refusal: text("refusal"),
    /** Moves when the worker has looked for something to enter. */
    settledAt: instant("settled_at"),
    /** Entries that the sums of the record hold: equal to `size` unless they are being made again. */
    folded: whole("folded").notNull().default(0),
    /** What the sums count; null, or another rule than this release's: they are made again from the first entry. */
    recordRule: text("record_rule"),
    /** How often the sums were begun from nothing. */
    recordEpoch: integer("record_epoch").notNull().default(0),
  },
  (t) => [check("ledger_state_single", sql`${t.id} = 1`)],
);

/** The entries of each signal, and the salt that its commitment is opened with. */
export const ledgerSignals = pgTable(
  "ledger_signals",
  {
    signalId: whole("signal_id")
      .primaryKey()
      .references(() => signals.id),
    slotId: integer("slot_id").notNull(),
    /** As the signal has it; written by a trigger. */
    modelV: text("model_v").notNull().default(""),
    /** 32 random bytes, hexadecimal; null for a signal that was entered later. */
    salt: text("salt"),
    commitment: whole("commitment"),
    reveal: whole("reveal"),
    outcome: whole("outcome"),
    /** Whether its commitment was entered in time; decided once. null: entered by release 1.2.0 and not decided yet. */
    inTime: boolean("in_time"),
  },
  (t) => [
    // committed, not revealed: what the next outcome may settle
    index("ledger_signals_open").on(t.signalId).where(sql`outcome is null`),
    // resolved signals in the order in which they came in
    uniqueIndex("ledger_signals_outcome").on(t.outcome),
    // the same of one slot
    index("ledger_signals_slot").on(t.slotId, t.outcome),
    // and of one of its models
    index("ledger_signals_model").on(t.slotId, t.modelV, t.outcome).where(sql`outcome is not null`),
    // those of a slot that were in time, or those that were not, however few they are
    index("ledger_signals_part").on(t.slotId, t.inTime, t.outcome).where(sql`outcome is not null`),
  ],
);

/** Up to which candle (open time) the candles of a slot are in the ledger as hashes. */
export const ledgerSlots = pgTable("ledger_slots", {
  slotId: integer("slot_id")
    .primaryKey()
    .references(() => slots.id),
  sealedFrom: instant("sealed_from").notNull(),
  sealedTo: instant("sealed_to").notNull(),
});

/** What is to be entered besides signals, written in the transaction of the change: promotions, corrections, claims. */
export const ledgerOutbox = pgTable(
  "ledger_due",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    kind: text("kind", { enum: LEDGER_KINDS }).notNull(),
    slotId: integer("slot_id").notNull(),
    content: jsonb("content").$type<Record<string, unknown>>().notNull(),
    at: instant("at").notNull().defaultNow(),
  },
  (t) => [check("ledger_due_kind", oneOf(t.kind, LEDGER_KINDS))],
);

/** What was expected of a model when it became champion. Rows never change: a trigger refuses it. */
export const modelClaims = pgTable("model_claims", {
  modelId: integer("model_id")
    .primaryKey()
    .references(() => models.id),
  /** Candles that the walk-forward judged. */
  n: integer("n").notNull(),
  /** Figures with the ends of their 95 % intervals; an end that is not known is null. */
  skill: doublePrecision("skill").notNull(),
  skillLo: doublePrecision("skill_lo"),
  skillHi: doublePrecision("skill_hi"),
  ece: doublePrecision("ece").notNull(),
  eceLo: doublePrecision("ece_lo"),
  eceHi: doublePrecision("ece_hi"),
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
  /** UTC day of the close of the signals' candles. */
  day: date("day").notNull(),
};

/**
 * The record's sums of forecasts by day, exact: Brier terms in 1e-9. Kept by the transaction that enters the outcomes
 * into the ledger, so that they are the fold of its entries.
 */
export const recordDays = pgTable(
  "record_days",
  {
    ...ofDay,
    n: whole("n").notNull(),
    nIndependent: whole("n_independent").notNull(),
    nDirectional: whole("n_directional").notNull(),
    brier: whole("brier").notNull(),
    /** Of the class frequencies of the model's training. */
    brierFrequencies: whole("brier_frequencies").notNull(),
    /** Squares of the difference of the two. */
    gainSquares: whole("gain_squares").notNull(),
    /** The difference as a part of the largest that it could have been. */
    evidence: whole("evidence").notNull(),
    /**
     * Size of the ledger with the last outcome that was added to this day, here and in the two tables below; written by a
     * trigger.
     */
    entry: whole("entry").notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.slotId, t.modelV, t.day] }),
    // what changed in a slot since a size of the ledger
    index("record_days_entry").on(t.slotId, t.entry),
  ],
);

/** The record's sums of followed directions by day and forecaster, exact: results in 1e-6 R. */
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
    /** Of the results above zero. */
    gain: whole("gain").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.slotId, t.modelV, t.day, t.forecaster] }),
    check("record_results_forecaster", oneOf(t.forecaster, FORECASTERS)),
  ],
);

/** The record's sums of top classes by day, forecaster and bin of the confidence, in 1e-9. */
export const recordBins = pgTable(
  "record_bins",
  {
    ...ofDay,
    forecaster: text("forecaster", { enum: FORECASTERS }).notNull(),
    bin: smallint("bin").notNull(),
    n: whole("n").notNull(),
    nIndependent: whole("n_independent").notNull(),
    confidence: whole("confidence").notNull(),
    hits: whole("hits").notNull(),
    /** Squared error of the confidence against having come true. */
    brier: whole("brier").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.slotId, t.modelV, t.day, t.forecaster, t.bin] }),
    check("record_bins_forecaster", oneOf(t.forecaster, FORECASTERS)),
  ],
);

/**
 * Resolved signals of a real market that were entered later, by day: kept beside the record and never added to it.
 * Results in 1e-6 R.
 */
export const recordLate = pgTable(
  "record_late",
  {
    ...ofDay,
    n: whole("n").notNull(),
    /** Directions that were judged. */
    nFollowed: whole("n_followed").notNull(),
    wins: whole("wins").notNull(),
    losses: whole("losses").notNull(),
    r: whole("r").notNull(),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.modelV, t.day] })],
);

/** Since when a slot is on offer: its first signal that was committed in time. */
export const recordSlots = pgTable("record_slots", {
  slotId: integer("slot_id")
    .primaryKey()
    .references(() => slots.id),
  /** Open time of that signal's candle; null before there is one. */
  offeredFrom: instant("offered_from"),
  /** UTC day on which the days without signals were last counted. */
  countedOn: date("counted_on").notNull(),
});

/** How many candles of a slot have a signal that was committed in time, by UTC day of the candle's open. */
export const recordCoverage = pgTable(
  "record_coverage",
  {
    slotId: integer("slot_id").notNull(),
    day: date("day").notNull(),
    /** Candles on offer whose time for a commitment is over. */
    nCandles: integer("n_candles").notNull(),
    nInTime: integer("n_in_time").notNull(),
    /** Candles without a signal in time whose signal was entered later, and how late in sum. */
    nLate: integer("n_late").notNull(),
    lateSeconds: whole("late_seconds").notNull(),
    /** Candles without any signal that closed during a pause. */
    nPaused: integer("n_paused").notNull(),
    /** Resolved signals that were entered later, on offer or not. */
    nEnteredLater: integer("n_entered_later").notNull(),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.day] })],
);

/** Until when the last independent result of each kind keeps a model busy, in epoch seconds, by the kind's place. */
export const recordOverlaps = pgTable(
  "record_overlaps",
  {
    slotId: integer("slot_id").notNull(),
    modelV: text("model_v").notNull(),
    busyUntil: text("busy_until").notNull(),
  },
  (t) => [primaryKey({ columns: [t.slotId, t.modelV] })],
);
