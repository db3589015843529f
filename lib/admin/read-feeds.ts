import { type Database, db } from "@/db/client";
import { type FeedTokenRow, listFeedTokens } from "@/db/queries/feed-tokens";
import {
  type CandleCorrectionRow,
  type FeedFileRow,
  type FeedRow,
  type FeedSlotRow,
  listCandleCorrections,
  listFeedSlots,
  listFeeds,
  listFilesRead,
  listSlotCandleStates,
  type SlotCandleState,
} from "@/db/queries/feeds";
import { listOddCandles, type OddCandleRow } from "@/db/queries/odd-candles";
import { pushFeedName } from "@/lib/access/feed-tokens";
import { openMinutesBetween } from "@/lib/market/calendar";
import { candleCloseAt, timeframeMinutes } from "@/lib/market/timeframes";
import { env } from "@/lib/runtime/env";
import type { ConfiguredFeed } from "@/lib/runtime/feed-plan";
import { findMissingCandles, type MissingCandles } from "@/lib/signals/feeds/missing-candles";
import { addDays } from "@/lib/time";
import { NO_REDISTRIBUTION_FEEDS } from "@/lib/vocabulary";

const CORRECTION_DAYS = 7;
const CORRECTIONS_SHOWN = 25;
const ODD_SHOWN = 25;
const FILES_SHOWN = 15;
const ENDED_TOKENS_SHOWN = 20;

/** One slot: the age of its candles, its gaps, and the feeds that deliver it. */
export interface SlotFeedState extends SlotCandleState {
  closedAt: Date | null;
  /** Open-market minutes by which the next candle after the newest one is late; 0: on time, or no candle is stored. */
  lateMinutes: number;
  holes: MissingCandles[];
  missing: number;
  feeds: (FeedSlotRow & { delays: FeedDelays })[];
}

/** Delay from close to receipt, over at most the last hundred candles that arrived before the next one closed. */
export interface FeedDelays {
  n: number;
  medianSeconds: number | null;
  maxSeconds: number | null;
}

export interface FeedsState {
  /** The feeds. `row` is null until a feed's first state, even a failure, or the visibility of its candles is stored. */
  feeds: {
    name: string;
    plan: ConfiguredFeed | null;
    row: FeedRow | null;
    /** Whether visitors may see its candles. */
    areCandlesPublic: boolean;
  }[];
  slots: SlotFeedState[];
  corrections: CandleCorrectionRow[];
  oddCandles: OddCandleRow[];
  files: FeedFileRow[];
  tokens: FeedTokenRow[];
}

/** State of the candle feeds, for administrators. */
export async function readFeeds(now: Date): Promise<FeedsState> {
  const database = db("heavy");
  const [rows, brought, slots, corrections, oddCandles, files, tokens] = await Promise.all([
    listFeeds(database),
    listFeedSlots(database),
    listSlotCandleStates(database, addDays(now, -CORRECTION_DAYS)),
    listCandleCorrections(database, CORRECTIONS_SHOWN),
    listOddCandles(database, ODD_SHOWN),
    listFilesRead(database, FILES_SHOWN),
    listFeedTokens(database, ENDED_TOKENS_SHOWN),
  ]);
  const holes = await findMissingCandles(database, slots, now);
  const plans = env().feeds;
  return {
    feeds: namesOf(rows, tokens).map((name) => {
      const row = rows.find((row) => row.name === name) ?? null;
      return {
        name,
        plan: plans.find((plan) => plan.name === name) ?? null,
        row,
        areCandlesPublic: row?.areCandlesPublic ?? !NO_REDISTRIBUTION_FEEDS.includes(name),
      };
    }),
    slots: slots.map((slot) => slotState(slot, holes, brought, now)),
    corrections,
    oddCandles,
    files,
    tokens,
  };
}

/** Names of the feeds: those of MARKET_FEED first, then those with a row, then terminals with an active token. */
export async function listFeedNames(database: Database): Promise<string[]> {
  return namesOf(...(await Promise.all([listFeeds(database), listFeedTokens(database, 0)])));
}

function namesOf(rows: readonly FeedRow[], tokens: readonly FeedTokenRow[]): string[] {
  const terminals = tokens
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ name }) => pushFeedName(name));
  return [
    ...new Set([...env().feeds.map(({ name }) => name), ...rows.map(({ name }) => name), ...terminals]),
  ];
}

function slotState(
  slot: SlotCandleState,
  holes: readonly MissingCandles[],
  brought: readonly FeedSlotRow[],
  now: Date,
): SlotFeedState {
  const own = holes.filter(({ slotId }) => slotId === slot.slotId);
  const closedAt = slot.lastTs === null ? null : candleCloseAt(slot.lastTs, slot.timeframe);
  const sinceClose = closedAt === null ? 0 : openMinutesBetween(slot.calendar, closedAt, now);
  return {
    ...slot,
    closedAt,
    lateMinutes: Math.max(0, sinceClose - timeframeMinutes(slot.timeframe)),
    holes: own,
    missing: own.reduce((sum, { candles }) => sum + candles, 0),
    feeds: brought
      .filter(({ slotId }) => slotId === slot.slotId)
      .map((row) => ({ ...row, delays: delaysOf(row.delaysMs) })),
  };
}

function delaysOf(delaysMs: readonly number[]): FeedDelays {
  const sorted = delaysMs.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  const last = sorted.at(-1);
  return {
    n: sorted.length,
    medianSeconds: middle === undefined ? null : middle / 1000,
    maxSeconds: last === undefined ? null : last / 1000,
  };
}
