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

/**
 * Sources of candles: present and former entries of MARKET_FEED, and terminals that send candles with a token. Also
 * sources without candles for which the operator has set `candles_public`.
 */
export const feeds = pgTable(
  "feeds",
  {
    /** Name of the source: `oanda`, `ccxt:binance`, `folder:/path`, or `push:NAME` for a terminal's token. */
    name: text("name").primaryKey(),
    state: text("state", { enum: FEED_STATES }).notNull(),
    /** When the source last answered or sent candles, or the folder could last be read, without an error. */
    lastOkAt: instant("last_ok_at"),
    lastErrorAt: instant("last_error_at"),
    /** A sentence of this service, never the source's own text, which may quote a token. */
    lastError: text("last_error"),
    /** Milliseconds that the source's clock was ahead of the database's when last compared; null: never compared. */
    clockOffsetMs: integer("clock_offset_ms"),
    /** Whether the operator allows showing the feed's candles publicly; null: the default of this kind of feed. */
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
    /**
     * Delays in ms from close to receipt, of the last hundred candles that arrived before the slot's next candle
     * closed. The feed's first delivery is left out.
     */
    delaysMs: integer("delays_ms").array().notNull().default([]),
    /**
     * Number of this feed's candles that were stored: those not stored before, and those that changed a stored candle.
     */
    nStored: bigint("n_stored", { mode: "number" }).notNull().default(0),
    /**
     * Number of candles that were not stored because they were unreadable, misaligned or impossible, or closed in the
     * future. A candle that is sent again counts again.
     */
    nRefused: bigint("n_refused", { mode: "number" }).notNull().default(0),
    lastRefusal: text("last_refusal"),
    /** Number of this feed's candles that were compared with stored candles, while this feed did not lead the slot. */
    nCompared: bigint("n_compared", { mode: "number" }).notNull().default(0),
    /** Number of the compared candles whose close differs from the stored one by more than 10 basis points. */
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
 * Differences between a received and a stored candle. A trigger adds a row for every change of a settled candle. A feed
 * that does not lead changes no stored candle: if its close differs by more than 10 basis points, a row with `applied`
 * false is added.
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
    /**
     * Why the rest of the file was not read, else the first problem with a row or candle that was left out; null: none.
     */
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
