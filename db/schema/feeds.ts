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

/** What brings candles: an entry of MARKET_FEED, or a token that a terminal pushes with. */
export const feeds = pgTable(
  "feeds",
  {
    /** `oanda`, `ccxt:binance`, `folder:/path`, `push:NAME`. */
    name: text("name").primaryKey(),
    state: text("state", { enum: FEED_STATES }).notNull(),
    /** Last time that its source answered as it should. */
    lastOkAt: instant("last_ok_at"),
    lastErrorAt: instant("last_error_at"),
    /** A sentence of our own: never what the source said, which may quote a token. */
    lastError: text("last_error"),
    /** How far the source's clock is ahead of ours; null where it does not say. */
    clockOffsetMs: integer("clock_offset_ms"),
    /** Whether its licence lets anyone see its candles; null: as usual for feeds of its kind. */
    candlesPublic: boolean("candles_public"),
    createdAt: createdAt(),
  },
  (t) => [check("feeds_state", oneOf(t.state, FEED_STATES))],
);

/** What one feed has brought of one slot. */
export const feedSlots = pgTable(
  "feed_slots",
  {
    feed: text("feed")
      .notNull()
      .references(() => feeds.name),
    slotId: integer("slot_id")
      .notNull()
      .references(() => slots.id),
    /** Open time of the newest closed candle that it brought. */
    lastTs: instant("last_ts"),
    lastReceivedAt: instant("last_received_at"),
    /** From close to receipt, of the last hundred candles that came before the next one closed. */
    delaysMs: integer("delays_ms").array().notNull().default([]),
    /** Candles that it was the first to bring. */
    nStored: bigint("n_stored", { mode: "number" }).notNull().default(0),
    /** Half, misplaced or impossible ones, which were not stored. */
    nRefused: bigint("n_refused", { mode: "number" }).notNull().default(0),
    lastRefusal: text("last_refusal"),
    /**
     * Candles of another feed that it was compared with, and how far its closes were off them, in
     * hundredths of a percent of the price.
     */
    nCompared: bigint("n_compared", { mode: "number" }).notNull().default(0),
    nDiffering: bigint("n_differing", { mode: "number" }).notNull().default(0),
    sumDiffBps: doublePrecision("sum_diff_bps").notNull().default(0),
    maxDiffBps: doublePrecision("max_diff_bps").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.feed, t.slotId] }),
    // which other feed leads a slot, and the page's rows by slot
    index("feed_slots_slot").on(t.slotId, t.createdAt),
  ],
);

/**
 * Where what is sent differs from a candle that is stored. A trigger writes the row of every closed candle that changes,
 * whatever changes it; a feed that does not lead its slot changes nothing and leaves a row that is not applied.
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
    // a feed that does not lead says of a candle once that it differs
    uniqueIndex("candle_corrections_differing").on(t.slotId, t.ts, t.source).where(sql`not applied`),
  ],
);

/** Files of watched folders, by what is in them: the same content is read once. */
export const feedFiles = pgTable(
  "feed_files",
  {
    feed: text("feed")
      .notNull()
      .references(() => feeds.name),
    /** SHA-256 of the file as it lies there. */
    hash: text("hash").notNull(),
    file: text("file").notNull(),
    readAt: instant("read_at").notNull().defaultNow(),
    accepted: integer("accepted").notNull(),
    duplicates: integer("duplicates").notNull(),
    /** Why nothing more of it was taken. */
    error: text("error"),
  },
  (t) => [
    primaryKey({ columns: [t.feed, t.hash] }),
    // the files read last
    index("feed_files_read").on(t.readAt),
  ],
);

/** Tokens that may send closed candles and nothing else. Only their hashes are kept. */
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
    // look-up of a token that a terminal sends
    uniqueIndex("feed_tokens_hash").on(t.tokenHash),
    // one name, one token that works
    uniqueIndex("feed_tokens_name").on(t.name).where(sql`revoked_at is null`),
  ],
);
