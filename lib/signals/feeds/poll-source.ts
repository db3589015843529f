import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@/db/client";
import { findNewestCandleTime } from "@/db/queries/candles";
import { readClock } from "@/db/queries/clock";
import { findNewestFeedCandleTime, recordFeedState } from "@/db/queries/feeds";
import { ensureSlots, listSlots, slotKey } from "@/db/queries/slots";
import { isMarketOpen } from "@/lib/market/calendar";
import { nextCandleCloseAt } from "@/lib/market/freshness";
import { candleCloseAt, candleOpenMs, timeframeMinutes } from "@/lib/market/timeframes";
import { errorFacts, log } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { symbolDefaultsOf } from "@/lib/signals/ingest/symbol-defaults";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@/lib/time";
import type { CalendarName } from "@/lib/vocabulary";
import { findMissingCandles } from "./missing-candles";
import { type CandleSource, FeedFailure, type FeedSlot } from "./source";
import { storeFeedCandles } from "./store-feed-candles";

/** Delay of a reading after a candle's close, so that the source has added the candle's last trades. */
const ASK_AFTER_MS = SECOND_MS;
/**
 * Delay of a reading after a candle's close for a feed that is not the leading one. Such a feed fills gaps of the
 * leading feed and is compared with it.
 */
export const NON_LEADING_FEED_DELAY_MS = MINUTE_MS;
/** A reading begins this many candles before the newest received one, to get the source's corrections. */
const OVERLAP = 2;
/** Number of past candles in which a feed that is not the leading one is compared with it at its first start. */
const COMPARED_AT_FIRST = 100;
const MAX_PAUSE_MS = MINUTE_MS;
const REFUSED_PAUSE_MS = 5 * MINUTE_MS;
/** Maximum pause after a successful reading of a slot, also while the market is closed. */
const IDLE_PAUSE_MS = 15 * MINUTE_MS;
const HOLES_EVERY_MS = 5 * MINUTE_MS;
/** Maximum number of requests of a gap. It may be requested again `HOLE_AGAIN_MS` after the last of them. */
const HOLE_TRIES = 3;
const HOLE_AGAIN_MS = DAY_MS;
/** If the source's clock is off by more than this, it is unknown which candles have closed, and nothing is stored. */
const CLOCK_LIMIT_MS = 5 * MINUTE_MS;
const CLOCK_PAUSE_MS = 30 * SECOND_MS;

/** A slot of a source, with the position and time of its next reading. */
interface Turn {
  slot: FeedSlot;
  slotId: number;
  calendar: CalendarName;
  leads: boolean;
  /** Delay of a reading after a candle's close, in ms. */
  askAfterMs: number;
  from: Date;
  dueMs: number;
  /** Number of consecutive readings that failed or lacked the due candle. */
  misses: number;
}

interface Reading {
  database: Database;
  source: CandleSource;
  signal: AbortSignal;
}

export interface PollOptions {
  leads(slot: FeedSlot): boolean;
  backfillCandles: number;
  nonLeadingDelayMs: number;
}

/**
 * Reads a source's candles after each close, from the stored position, until the signal aborts. Failures are retried
 * with a back-off and shown to the administrator. Gaps in the stored candles are requested at the start and every few
 * minutes. The position is in the database, so that no candle is lost or stored twice if the process ends at any point.
 */
export async function pollSource(
  database: Database,
  source: CandleSource,
  options: PollOptions,
  signal: AbortSignal,
): Promise<void> {
  const reading: Reading = { database, source, signal };
  const turns = await startTurns(database, source, options);
  const attempts = new Map<string, Attempts>();
  let holesDueMs = 0;
  let failures = 0;
  while (!signal.aborted) {
    let waitMs = 0;
    for (const turn of turns) {
      if (signal.aborted) return;
      if (turn.dueMs > Date.now()) continue;
      try {
        await visit(reading, turn);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        const failure = await noteFailure(database, source.name, error);
        turn.misses++;
        turn.dueMs =
          Date.now() +
          (failure.kind === "refused" ? failure.waitMs || REFUSED_PAUSE_MS : backOffMs(turn.misses));
        if (failure.kind === "wait") waitMs = failure.waitMs;
        // If the source fails for one slot, it probably fails for the next one too.
        else if (failure.kind === "failed") waitMs = backOffMs(++failures);
        if (waitMs > 0) break;
      }
    }
    if (waitMs === 0 && Date.now() >= holesDueMs && turns.every(({ misses }) => misses === 0)) {
      holesDueMs = Date.now() + HOLES_EVERY_MS;
      await fillHoles(reading, turns, attempts).catch(async (error: unknown) => {
        holesDueMs = Date.now() + MINUTE_MS;
        if (!signal.aborted) await noteFailure(database, source.name, error);
      });
    }
    const nextMs = Math.min(...turns.map(({ dueMs }) => dueMs), Date.now() + IDLE_PAUSE_MS);
    await sleep(Math.max(waitMs, nextMs - Date.now()), signal);
  }
}

/** Delay after this many consecutive failures: 1 s, 2 s, 4 s ... up to a minute. */
const backOffMs = (misses: number) => Math.min(MAX_PAUSE_MS, SECOND_MS * 2 ** Math.min(misses - 1, 6));

async function startTurns(
  database: Database,
  source: CandleSource,
  { leads, backfillCandles, nonLeadingDelayMs }: PollOptions,
): Promise<Turn[]> {
  const ids = await ensureSlots(database, [...source.slots], symbolDefaultsOf);
  const calendars = new Map((await listSlots(database)).map((slot) => [slot.slotId, slot.calendar]));
  const now = await readClock(database);
  return Promise.all(
    source.slots.map(async (slot) => {
      const slotId = ids.get(slotKey(slot)) ?? 0;
      const calendar = calendars.get(slotId) ?? "fx";
      const isLeading = leads(slot);
      const stood = await findNewestFeedCandleTime(database, source.name, slotId);
      // Slots of other calendars have candles on five days of seven.
      const share = calendar === "crypto" ? 1 : 7 / 5;
      const candleMs = timeframeMinutes(slot.timeframe) * MINUTE_MS;
      const back = (candles: number) => new Date(now.getTime() - Math.ceil(candles * share * candleMs));
      const begin = isLeading
        ? ((await findNewestCandleTime(database, slotId)) ?? back(backfillCandles))
        : back(COMPARED_AT_FIRST);
      return {
        slot,
        slotId,
        calendar,
        leads: isLeading,
        askAfterMs: isLeading ? ASK_AFTER_MS : nonLeadingDelayMs,
        from: overlapping(stood ?? begin, slot),
        // After this delay the leading feed has filled the slot, unless it is down.
        dueMs: isLeading ? 0 : Date.now() + nonLeadingDelayMs,
        misses: 0,
      };
    }),
  );
}

function overlapping(ts: Date, { timeframe }: FeedSlot): Date {
  let openMs = candleOpenMs(ts.getTime(), timeframe);
  for (let i = 0; i < OVERLAP; i++) openMs = candleOpenMs(openMs - 1, timeframe);
  return new Date(openMs);
}

/** Reads one page of one slot, stores it, and schedules the slot again. */
async function visit(reading: Reading, turn: Turn): Promise<void> {
  const { database, source } = reading;
  const { slot } = turn;
  const page = await readPage(reading, slot, turn.from, source.pageSize);
  if (page === null) {
    turn.dueMs = Date.now() + CLOCK_PAUSE_MS;
    return;
  }
  const { newest } = await storeFeedCandles(database, {
    feed: source.name,
    slot,
    leads: turn.leads,
    ...page,
  });
  const nowMs = Date.now();
  const lastClosedMs = lastClosedOpenMs(nowMs, slot);
  const pageEndMs = turn.from.getTime() + source.pageSize * timeframeMinutes(slot.timeframe) * MINUTE_MS;
  if (newest !== null && newest > turn.from) turn.from = overlapping(newest, slot);
  // The source has no candles for the length of a page. Some sources do not look further, so continue after it.
  else if (newest === null && pageEndMs < lastClosedMs) {
    turn.from = new Date(pageEndMs);
    return;
  }
  if (page.candles.length >= source.pageSize && newest !== null && newest.getTime() < lastClosedMs) {
    turn.misses = 0;
    turn.dueMs = 0;
    return;
  }
  const nextMs =
    nextCandleCloseAt(turn.calendar, slot.timeframe, new Date(nowMs)).getTime() + turn.askAfterMs;
  const isMissing =
    (newest === null || newest.getTime() < lastClosedMs) &&
    isMarketOpen(turn.calendar, lastClosedMs) &&
    isMarketOpen(turn.calendar, nowMs);
  turn.misses = isMissing ? turn.misses + 1 : 0;
  turn.dueMs = isMissing
    ? Math.min(nextMs, nowMs + backOffMs(turn.misses))
    : Math.min(nextMs, nowMs + IDLE_PAUSE_MS);
}

/** Open time of the newest candle that has closed at an instant. */
function lastClosedOpenMs(nowMs: number, { timeframe }: FeedSlot): number {
  return candleOpenMs(candleOpenMs(nowMs, timeframe) - 1, timeframe);
}

/**
 * Reads a page and notes when it arrived. Null if the source's clock is too far from the database's to tell which
 * candles are closed.
 */
async function readPage({ database, source, signal }: Reading, slot: FeedSlot, from: Date, limit: number) {
  const { candles, now } = await source.read(slot, from, limit, signal);
  const receivedAt = await readClock(database);
  const clockOffsetMs = now === null ? null : now.getTime() - receivedAt.getTime();
  if (clockOffsetMs !== null && Math.abs(clockOffsetMs) > CLOCK_LIMIT_MS) {
    const minutes = Math.round(clockOffsetMs / MINUTE_MS);
    await recordFeedState(database, {
      name: source.name,
      state: "held",
      clockOffsetMs,
      error: `Its clock is ${Math.abs(minutes)} minutes ${minutes > 0 ? "ahead of" : "behind"} the database's. Nothing is stored until they agree.`,
    });
    return null;
  }
  return { candles, receivedAt, clockOffsetMs };
}

/** How often a gap was requested, and when for the last time. */
interface Attempts {
  times: number;
  atMs: number;
}

/**
 * Requests the candles of gaps, where stored candles are further apart than their timeframe while the market was open.
 */
async function fillHoles(
  reading: Reading,
  turns: readonly Turn[],
  attempts: Map<string, Attempts>,
): Promise<void> {
  const { database, source } = reading;
  const nowMs = Date.now();
  for (const [hole, { atMs }] of attempts) if (atMs < nowMs - HOLE_AGAIN_MS) attempts.delete(hole);
  const bySlot = new Map(turns.map((turn) => [turn.slotId, turn]));
  const holes = await findMissingCandles(
    database,
    turns.map(({ slotId, calendar, slot: { timeframe } }) => ({ slotId, calendar, timeframe })),
    new Date(nowMs),
  );
  for (const { slotId, from, to } of holes) {
    const turn = bySlot.get(slotId);
    const name = `${slotId}@${from.getTime()}@${to.getTime()}`;
    const times = attempts.get(name)?.times ?? 0;
    if (turn === undefined || times >= HOLE_TRIES) continue;
    const { slot } = turn;
    const candles = (to.getTime() - from.getTime()) / (timeframeMinutes(slot.timeframe) * MINUTE_MS);
    const limit = Math.min(source.pageSize, Math.ceil(candles) + 1);
    const page = await readPage(reading, slot, candleCloseAt(from, slot.timeframe), limit);
    if (page === null) return;
    await storeFeedCandles(database, { feed: source.name, slot, leads: turn.leads, ...page });
    attempts.set(name, { times: times + 1, atMs: nowMs });
  }
}

async function noteFailure(database: Database, name: string, error: unknown): Promise<FeedFailure> {
  if (!(error instanceof FeedFailure)) {
    log(isDatabaseUnavailable(error) ? "info" : "error", "a feed failed", {
      component: name,
      error: errorFacts(error),
    });
    return new FeedFailure("failed", "It could not be stored.");
  }
  const state = error.kind === "refused" ? "refused" : "waiting";
  log("info", "a feed returned no candles", { component: name, reason: error.message });
  await recordFeedState(database, { name, state, error: error.message }).catch(() => undefined);
  return error;
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => undefined);
}
