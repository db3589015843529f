import type { DatabaseHandle } from "@/db/client";
import { listNotTradedReports } from "@/db/queries/not-traded-signals";
import {
  type IssuedSignal,
  listPricesAtOpening,
  listReportedPositions,
  type PriceSource,
} from "@/db/queries/own-record";
import { listSignalFetchAdvances, readSignalFetchRecordingStart } from "@/db/queries/signal-fetches";
import { listSlots, type Slot, type SlotScope } from "@/db/queries/slots";
import { narrowToNewestPositions } from "@/lib/executions/newest-positions";
import type { WallClock } from "@/lib/market/clock";
import { isCommittedInTime } from "@/lib/market/committed-in-time";
import { compareTimeframes, timeframeMinutes } from "@/lib/market/timeframes";
import { groupBy } from "@/lib/runtime/group-by";
import { settingInForce } from "@/lib/settings/registry";
import { addDays, laterInstant, startOfUtcDay } from "@/lib/time";
import { MAX_CACHED_SIGNALS, readIssuedSignals } from "./cached-signals";
import { type Decomposition, decomposeResultDifference } from "./decompose";
import { comparedEntriesOf, digitsBySymbol, type EntryFigures, entryFiguresBy } from "./entries";
import { type Funnel, funnelOf, funnelsBySlot, type SlotFunnel } from "./funnel";
import { type SignalJourney, signalJourneysOf } from "./journey";
import { matchPositions } from "./match-positions";
import { calibrationOfFollowed, type FollowedBin } from "./own-calibration";

/** Maximum number of positions that a page can evaluate within its time limit. */
const MAX_POSITIONS = 2_000;
const NEWEST_SHOWN = 12;

/** Periods of a record in days. */
export const RECORD_DAYS = ["7", "30", "90"] as const;
const MAX_DAYS = 90;

export interface OwnRecord {
  /**
   * Start of the period: the requested one, or later if the subscription began later or there is too much to compute.
   */
  from: Date;
  /** Whether the period was shortened to what a page can compute. */
  isCut: boolean;
  /** Since when fetches are stored; null: for the whole period. */
  fetchesSince: Date | null;
  funnel: Funnel;
  slots: SlotFunnel[];
  decomposition: Decomposition;
  bySymbol: EntryFigures[];
  byHour: EntryFigures[];
  byMonth: EntryFigures[];
  calibration: FollowedBin[];
  /** Number of the period's positions that followed none of its signals. */
  nOthers: number;
  /** The newest signals, newest first. */
  newest: SignalJourney[];
  /** Decimal places of a price, by symbol. */
  digits: ReadonlyMap<string, number>;
}

/** A subscription's own record over the last days: its signals, and what the subscriber did with them. */
export async function readOwnRecord(
  handle: DatabaseHandle,
  wanted: {
    subscriptionId: number;
    subscribedAt: Date;
    scope: SlotScope;
    days: number;
    clock: WallClock;
    /** Leaves out signals made too late to be committed in time, as shared records do. */
    madeInTime?: boolean;
  },
  now: Date,
): Promise<OwnRecord> {
  const { subscriptionId, scope, subscribedAt, clock } = wanted;
  const requestedFrom = addDays(now, -Math.min(wanted.days, MAX_DAYS));
  const [{ since: positionsSince }, slots] = await Promise.all([
    // Read before the signals and positions: too many positions shorten the period of those reads.
    narrowToNewestPositions(handle, { subscriptionId, from: requestedFrom }, MAX_POSITIONS),
    listSlots(handle),
  ]);
  const readSince = positionsSince ?? requestedFrom;
  // Too many signals shorten the period again. The positions, at most MAX_POSITIONS, are then filtered below.
  const [fetchesSinceMs, newestSignals, newestOwn] = await Promise.all([
    fetchesKnownSince(handle, now),
    readIssuedSignals(handle, { scope, closedAfter: readSince, madeAfter: subscribedAt }, slots),
    listReportedPositions(handle, { subscriptionId, from: readSince }),
  ]);
  const oldest = newestSignals.at(-1);
  const signalsSince =
    newestSignals.length === MAX_CACHED_SIGNALS && oldest ? new Date(oldest.closesMs) : null;
  const cut = laterInstant(positionsSince, signalsSince);
  const readFrom = cut ?? requestedFrom;
  const from = laterInstant(readFrom, subscribedAt) ?? readFrom;
  const positions = newestOwn.filter(({ openedMs }) => openedMs >= from.getTime());
  const signals = newestSignals.filter(
    (signal) =>
      signal.closesMs > readFrom.getTime() &&
      couldReach(signal, subscribedAt) &&
      (!wanted.madeInTime || wasMadeInTime(signal)),
  );
  const { bySignal, nOthers } = matchPositions(signals, positions);
  // Only the first position of a signal is compared with the market.
  const firsts = [...bySignal.values()].flatMap(([first]) => (first ? [first.executionId] : []));
  const [advances, prices, notTraded] = await Promise.all([
    listSignalFetchAdvances(handle, subscriptionId, from),
    listPricesAtOpening(handle, firsts, priceSourcesOf(slots)),
    listNotTradedReports(handle, subscriptionId, from),
  ]);
  const journeys = signalJourneysOf(signals, advances, bySignal, prices, fetchesSinceMs, notTraded);
  const followed = journeys.filter(({ positions }) => positions.length > 0);
  const entries = comparedEntriesOf(followed);
  return {
    from,
    isCut: cut !== null,
    fetchesSince: fetchesSinceMs > from.getTime() ? new Date(fetchesSinceMs) : null,
    funnel: funnelOf(journeys),
    slots: funnelsBySlot(journeys),
    decomposition: decomposeResultDifference(
      journeys.map(({ signal, positions, market, why, fetch, isFetchKnown }) => ({
        signal,
        positions,
        market,
        why: why?.reason ?? null,
        isFetched: isFetchKnown ? fetch !== null : null,
      })),
    ),
    bySymbol: entryFiguresBy(entries, "symbol", clock),
    byHour: entryFiguresBy(entries, "hour", clock),
    byMonth: entryFiguresBy(entries, "month", clock),
    calibration: calibrationOfFollowed(followed),
    nOthers,
    newest: journeys.slice(0, NEWEST_SHOWN),
    digits: digitsBySymbol(slots, entries),
  };
}

/**
 * Whether the subscription had begun one candle after the close of the signal's candle, when the signal was still new.
 */
const couldReach = ({ tsMs, closesMs }: IssuedSignal, subscribedAt: Date): boolean =>
  closesMs + (closesMs - tsMs) > subscribedAt.getTime();

/**
 * Whether a signal was made in time. Its creation stands for its entry into the ledger, which follows within seconds.
 */
const wasMadeInTime = ({ createdMs, tsMs, closesMs }: IssuedSignal): boolean =>
  isCommittedInTime({
    committedAt: new Date(createdMs),
    ts: new Date(tsMs),
    closesAt: new Date(closesMs),
    simulated: false,
  });

/**
 * The instant (epoch ms) from which all fetches are known: when recording began, or when retention begins, if later.
 */
async function fetchesKnownSince(handle: DatabaseHandle, now: Date): Promise<number> {
  const { fetches: days } = await settingInForce(handle, "retention");
  const keptSinceMs = days === 0 ? 0 : startOfUtcDay(addDays(now, -days)).getTime();
  return Math.max(await readSignalFetchRecordingStart(handle), keptSinceMs);
}

/** The slot that gives each symbol's market price: the one with the shortest timeframe. */
export function priceSourcesOf(slots: readonly Slot[]): PriceSource[] {
  return [...groupBy(slots, ({ symbol }) => symbol)].flatMap(([symbol, own]) => {
    const [shortest] = own.toSorted((a, b) => compareTimeframes(a.timeframe, b.timeframe));
    if (!shortest) return [];
    return [{ symbol, slotId: shortest.slotId, candleSeconds: 60 * timeframeMinutes(shortest.timeframe) }];
  });
}
