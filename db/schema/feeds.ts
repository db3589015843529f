import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { FEED_STATES } from "@/lib/vocabulary";
import { createdAt, instant, oneOf } from "./columns";
import { slots } from "./market";

/** Sources of candles: an entry of MARKET_FEED, or a token of a terminal that pushes. */
export const feeds = pgTable(
  "feeds",
  {
    /** `oanda`, `ccxt:binance`, `folder:/path`, `push:NAME`. */
    name: text("name").primaryKey(),
    state: text("state", { enum: FEED_STATES }).notNull(),
    /** Time of the source's last successful answer. */
    lastOkAt: instant("last_ok_at"),
    lastErrorAt: instant("last_error_at"),
    /** A sentence of this service, never the source's own text, which may quote a token. */
    lastError: text("last_error"),
    /** How far the source's clock is ahead of this service's; null: unknown. */
    clockOffsetMs: integer("clock_offset_ms"),
    /** Whether its licence allows showing its candles to everyone; null: the default of its kind. */
    candlesPublic: boolean("candles_public"),
    createdAt: createdAt(),
  },
  (t) => [check("feeds_state", oneOf(t.state, FEED_STATES))],
);

/** Statistics of one feed and slot. */
export const feedSlots = pgTable(
  "feed_slots",
  {
    feed: text("feed")
      .notNull()
      .references(() => feeds.name),
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    /** Open time of its newest closed candle. */
    lastTs: instant("last_ts"),
    lastReceivedAt: instant("last_received_at"),
    /** Delay from close to receipt of the last hundred candles that arrived before the next one closed. */
    delaysMs: integer("delays_ms").array().notNull().default([]),
    /** Candles that it delivered first. */
    nStored: bigint("n_stored", { mode: "number" }).notNull().default(0),
    /** Incomplete, misaligned or impossible candles, which were not stored. */
    nRefused: bigint("n_refused", { mode: "number" }).notNull().default(0),
    lastRefusal: text("last_refusal"),
    /**
     * Number of compared candles of another feed, and the deviation of its closes in hundredths of a percent of the
     * price.
     */
    nCompared: bigint("n_compared", { mode: "number" }).notNull().default(0),
    nDiffering: bigint("n_differing", { mode: "number" }).notNull().default(0),
    sumDiffBps: doublePrecision("sum_diff_bps").notNull().default(0),
    maxDiffBps: doublePrecision("max_diff_bps").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.feed, t.slotId] }),
    // the other leading feeds of a slot; the page's rows by slot
    index("feed_slots_slot").on(t.slotId, t.createdAt),
  ],
);

/**
 * Differences between a received and a stored candle. A trigger writes a row for every change of a closed candle.
 * A non-leading feed changes nothing and writes a row that is not applied.
 */
export const candleCorrections = pgTable(
  "candle_corrections",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    ts: instant("ts").notNull(),
    at: instant("at").notNull().defaultNow(),
    /** The feed's name, or `ingest`. */
    source: text("source").notNull(),
    /** Whether the stored candle was changed. */
    applied: boolean("applied").notNull(),
    oldOpen: doublePrecision("old_open").notNull(),
    oldHigh: doublePrecision("old_high").notNull(),
    oldLow: doublePrecision("old_low").notNull(),
    oldClose: doublePrecision("old_close").notNull(),
    oldVolume: doublePrecision("old_volume"),
    newOpen: doublePrecision("new_open").notNull(),
    newHigh: doublePrecision("new_high").notNull(),
    newLow: doublePrecision("new_low").notNull(),
    newClose: doublePrecision("new_close").notNull(),
    newVolume: doublePrecision("new_volume"),
  },
  (t) => [
    // corrections of a slot, newest first, and their number in a week
    index("candle_corrections_slot").on(t.slotId, t.at),
    // a non-leading feed records a difference once per candle
    uniqueIndex("candle_corrections_differing").on(t.slotId, t.ts, t.source).where(sql`not applied`),
  ],
);

/** Files of watched folders, identified by their content: the same content is read once. */
export const feedFiles = pgTable(
  "feed_files",
  {
    feed: text("feed")
      .notNull()
      .references(() => feeds.name),
    /** SHA-256 of the file's bytes. */
    hash: text("hash").notNull(),
    file: text("file").notNull(),
    readAt: instant("read_at").notNull().defaultNow(),
    accepted: integer("accepted").notNull(),
    duplicates: integer("duplicates").notNull(),
    /** Why the rest of it was not read. */
    error: text("error"),
  },
  (t) => [
    primaryKey({ columns: [t.feed, t.hash] }),
    // the files read last
    index("feed_files_read").on(t.readAt),
  ],
);

/** Tokens that may only send closed candles. Only their hashes are stored. */
export const feedTokens = pgTable(
  "feed_tokens",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    name: text("name").notNull(),
    tokenHash: text("token_hash").notNull(),
    hint: text("hint").notNull(),
    createdAt: createdAt(),
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
  },
  (t) => [
    // look-up of a terminal's token
    uniqueIndex("feed_tokens_hash").on(t.tokenHash),
    // one active token per name
    uniqueIndex("feed_tokens_name").on(t.name).where(sql`revoked_at is null`),
  ],
);
