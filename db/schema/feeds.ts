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

/** Sources of candles: entries of MARKET_FEED, and terminals that send candles with a token. */
export const feeds = pgTable(
  "feeds",
  {
    /** Name of the source: `oanda`, `ccxt:binance`, `folder:/path`, or `push:NAME` for a terminal's token. */
    name: text("name").primaryKey(),
    state: text("state", { enum: FEED_STATES }).notNull(),
    /** Time of the source's last successful answer. */
    lastOkAt: instant("last_ok_at"),
    lastErrorAt: instant("last_error_at"),
    /** A sentence of this service, never the source's own text, which may quote a token. */
    lastError: text("last_error"),
    /** Milliseconds that the source's clock is ahead of this service's; null: unknown. */
    clockOffsetMs: integer("clock_offset_ms"),
    /** Whether the feed's licence allows showing its candles publicly; null: the default of this kind of feed. */
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
    /** Open time of the newest closed candle that the feed delivered. */
    lastTs: instant("last_ts"),
    lastReceivedAt: instant("last_received_at"),
    /** Delays in ms from close to receipt, of the last hundred candles that arrived before the slot's next candle closed. */
    delaysMs: integer("delays_ms").array().notNull().default([]),
    /** Number of this feed's candles that were stored, because no feed had delivered them or they changed. */
    nStored: bigint("n_stored", { mode: "number" }).notNull().default(0),
    /** Number of incomplete, misaligned or impossible candles, which were not stored. */
    nRefused: bigint("n_refused", { mode: "number" }).notNull().default(0),
    lastRefusal: text("last_refusal"),
    /** Number of this feed's candles that were compared with the stored candles of the slot's leading feed. */
    nCompared: bigint("n_compared", { mode: "number" }).notNull().default(0),
    /** Number of the compared candles that differ from the stored ones. */
    nDiffering: bigint("n_differing", { mode: "number" }).notNull().default(0),
    /** Sum over the compared candles of the distance between both closes, in basis points. */
    sumDiffBps: doublePrecision("sum_diff_bps").notNull().default(0),
    maxDiffBps: doublePrecision("max_diff_bps").notNull().default(0),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.feed, t.slotId] }),
    // the leading feed of a slot; the feeds page, by slot
    index("feed_slots_slot").on(t.slotId, t.createdAt),
  ],
);

/**
 * Differences between a received and a stored candle. A trigger adds a row for every change of a closed candle. A
 * difference of a feed that does not lead changes no candle: it is stored with `applied` false.
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
    // a feed that does not lead records a difference once per candle
    uniqueIndex("candle_corrections_differing").on(t.slotId, t.ts, t.source).where(sql`not applied`),
  ],
);

/** Files that were read from watched folders. A file with the same content is read once per folder. */
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
    /** Why the rest of the file was not read; null: it was read completely. */
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
    // find a token by its hash, for each call of a terminal
    uniqueIndex("feed_tokens_hash").on(t.tokenHash),
    // one active token per name
    uniqueIndex("feed_tokens_name").on(t.name).where(sql`revoked_at is null`),
  ],
);
