import type { Handle } from "@/db/client";
import { listAdvances, readFetchesSince } from "@/db/queries/fetches";
import {
  type IssuedSignal,
  listOwnPositions,
  listPricesAtOpening,
  type PriceSource,
} from "@/db/queries/own-record";
import { listSlots, type Slot, type SlotScope } from "@/db/queries/slots";
import { listUntradedSignals } from "@/db/queries/untraded-signals";
import { newestPositions } from "@/lib/executions/newest-positions";
import type { Clock } from "@/lib/market/clock";
import { isInTime } from "@/lib/market/in-time";
import { compareTimeframes, timeframeMinutes } from "@/lib/market/timeframes";
import { groupBy } from "@/lib/runtime/group-by";
import { settingInForce } from "@/lib/settings/registry";
import { addDays, laterInstant, startOfUtcDay } from "@/lib/time";
import { type Decomposition, decompose } from "./decompose";
import { digitsBySymbol, type EntryFigures, entriesBy, entriesOf } from "./entries";
import { type Funnel, funnelOf, funnelsBySlot, type SlotFunnel } from "./funnel";
import { type Journey, journeysOf } from "./journey";
import { MOST_SIGNALS, readMadeSignals } from "./cached-signals";
import { matchPositions } from "./match-positions";
import { calibrationOfFollowed, type FollowedBin } from "./own-calibration";

/** As many positions as a page can be computed from in its time. */
const MOST_POSITIONS = 2_000;
const NEWEST_SHOWN = 12;

/** Periods that a record is shown for. */
export const RECORD_DAYS = ["7", "30", "90"] as const;
const MOST_DAYS = 90;

export interface OwnRecord {
  /** Signals whose candle closed after this are counted. */
  from: Date;
  /** The period was cut to what a page can compute. */
  isCut: boolean;
  /** Since when it is known what was fetched; null: for the whole period. */
  fetchesSince: Date | null;
  funnel: Funnel;
  slots: SlotFunnel[];
  decomposition: Decomposition;
  bySymbol: EntryFigures[];
  byHour: EntryFigures[];
  byMonth: EntryFigures[];
  calibration: FollowedBin[];
  /** Positions of the period that followed none of its signals. */
  nOthers: number;
  /** The newest signals, newest first. */
  newest: Journey[];
  /** Decimal places of a price, by symbol. */
  digits: ReadonlyMap<string, number>;
}

/** A subscription's own record over the last days: what was made for it, and what it made of that. */
export async function readOwnRecord(
  handle: Handle,
  wanted: {
    subscriptionId: number;
    subscribedAt: Date;
    scope: SlotScope;
    days: number;
    clock: Clock;
    /** Leaves out what was made too late to be committed in time: it is no part of what others are shown. */
    madeInTime?: boolean;
  },
  now: Date,
): Promise<OwnRecord> {
  const { subscriptionId, scope, subscribedAt, clock } = wanted;
  const asked = addDays(now, -Math.min(wanted.days, MOST_DAYS));
  const [{ since: positionsSince }, slots] = await Promise.all([
    // First, because so many positions shorten everything else that is read.
    newestPositions(handle, { subscriptionId, from: asked }, MOST_POSITIONS),
    listSlots(handle),
  ]);
  const readSince = positionsSince ?? asked;
  // Too many signals shorten the period once more; positions, of which there are no more than that, are left out then.
  const [fetchesSinceMs, newestSignals, newestOwn] = await Promise.all([
    fetchesKnownSince(handle, now),
    readMadeSignals(handle, { scope, closedAfter: readSince, madeAfter: subscribedAt }, slots),
    listOwnPositions(handle, { subscriptionId, from: readSince }),
  ]);
  const oldest = newestSignals.at(-1);
  const signalsSince = newestSignals.length === MOST_SIGNALS && oldest ? new Date(oldest.closesMs) : null;
  const cut = laterInstant(positionsSince, signalsSince);
  const readFrom = cut ?? asked;
  const from = laterInstant(readFrom, subscribedAt) ?? readFrom;
  const positions = newestOwn.filter(({ openedMs }) => openedMs >= from.getTime());
  const signals = newestSignals.filter(
    (signal) =>
      signal.closesMs > readFrom.getTime() &&
      couldReach(signal, subscribedAt) &&
      (!wanted.madeInTime || wasMadeInTime(signal)),
  );
  const { bySignal, nOthers } = matchPositions(signals, positions);
  // Of those that followed a signal only the first is measured against the market.
  const firsts = [...bySignal.values()].flatMap(([first]) => (first ? [first.executionId] : []));
  const [advances, prices, untraded] = await Promise.all([
    listAdvances(handle, subscriptionId, from),
    listPricesAtOpening(handle, firsts, priceSourcesOf(slots)),
    listUntradedSignals(handle, subscriptionId, from),
  ]);
  const journeys = journeysOf(signals, advances, bySignal, prices, fetchesSinceMs, untraded);
  const followed = journeys.filter(({ positions }) => positions.length > 0);
  const entries = entriesOf(followed);
  return {
    from,
    isCut: cut !== null,
    fetchesSince: fetchesSinceMs > from.getTime() ? new Date(fetchesSinceMs) : null,
    funnel: funnelOf(journeys),
    slots: funnelsBySlot(journeys),
    decomposition: decompose(
      journeys.map(({ signal, positions, market, why, fetch, isFetchKnown }) => ({
        signal,
        positions,
        market,
        why: why?.reason ?? null,
        isFetched: isFetchKnown ? fetch !== null : null,
      })),
    ),
    bySymbol: entriesBy(entries, "symbol", clock),
    byHour: entriesBy(entries, "hour", clock),
    byMonth: entriesBy(entries, "month", clock),
    calibration: calibrationOfFollowed(followed),
    nOthers,
    newest: journeys.slice(0, NEWEST_SHOWN),
    digits: digitsBySymbol(slots, entries),
  };
}

/** Whether a subscriber could get a signal: its time was not over when the subscription began. */
const couldReach = ({ tsMs, closesMs }: IssuedSignal, subscribedAt: Date): boolean =>
  closesMs + (closesMs - tsMs) > subscribedAt.getTime();

/** A signal is entered into the ledger in the seconds after it was made. */
const wasMadeInTime = ({ createdMs, tsMs, closesMs }: IssuedSignal): boolean =>
  isInTime({
    committedAt: new Date(createdMs),
    ts: new Date(tsMs),
    closesAt: new Date(closesMs),
    simulated: false,
  });

/** Since when it is known what was fetched, in epoch milliseconds: recorded since the one, kept since the other. */
async function fetchesKnownSince(handle: Handle, now: Date): Promise<number> {
  const { fetches: days } = await settingInForce(handle, "retention");
  const keptSinceMs = days === 0 ? 0 : startOfUtcDay(addDays(now, -days)).getTime();
  return Math.max(await readFetchesSince(handle), keptSinceMs);
}

/** The shortest candles of each symbol say what the market's price was. */
export function priceSourcesOf(slots: readonly Slot[]): PriceSource[] {
  return [...groupBy(slots, ({ symbol }) => symbol)].flatMap(([symbol, own]) => {
    const [shortest] = own.toSorted((a, b) => compareTimeframes(a.timeframe, b.timeframe));
    if (!shortest) return [];
    return [{ symbol, slotId: shortest.slotId, candleSeconds: 60 * timeframeMinutes(shortest.timeframe) }];
  });
}
