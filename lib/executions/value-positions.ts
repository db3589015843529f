import type { DatabaseHandle } from "@/db/client";
import { listPointValues, type PointValue } from "@/db/queries/execution-figures";
import type { Execution } from "@/db/queries/executions";
import { listNewestPrices, type NewestPrice } from "@/db/queries/own-record";
import { listSignalsAroundPositions, type SignalAroundPosition } from "@/db/queries/signal-history";
import { listSlots, type VisibleSignals } from "@/db/queries/slots";
import { groupBy } from "@/lib/runtime/group-by";
import { median } from "./own-record/funnel";
import { priceSourcesOf } from "./own-record/read-own-record";
import { impliedSignalOf } from "./position-figures";

/** Number of signals around a position's opening among which the followed one is searched. */
const SIGNALS_AROUND = 4;
/** Number of newest closed positions, of all symbols, among which those for the money value of a lot are searched. */
const WORTHS_READ = 200;
/** The money value of a lot is estimated only from at least this many positions of the same symbol and currency. */
const MIN_WORTHS = 3;
/** A price this many times the position's, or this small a part of it, belongs to another instrument. */
const MAX_PRICE_RATIO = 2;

/** Value of a position: an open one at the newest price, a closed one at its exit. */
export interface PositionValue {
  /** The newest stored price of its symbol; null for a closed position, without candles, or if it is not plausible. */
  market: NewestPrice | null;
  /** Move in its favour, divided by the distance from the signal's entry to its stop; null if either is unknown. */
  r: number | null;
  /** In the account's currency: as reported for a closed position, otherwise by the recent value of a lot. */
  money: number | null;
}

/** Reads the entry and stop of signals, by `predId`. */
type ReadPrices = (
  handle: DatabaseHandle,
  signals: readonly SignalAroundPosition[],
) => Promise<ReadonlyMap<number, { entryPrice: number; stopPrice: number }>>;

/**
 * Values of a subscription's positions, by `executionId`. `r` is null unless the subscription may see the followed
 * signal.
 */
export async function valuePositions(
  handle: DatabaseHandle,
  { subscriptionId, seen }: { subscriptionId: number; seen: VisibleSignals },
  positions: readonly Execution[],
  readPrices: ReadPrices,
): Promise<ReadonlyMap<number, PositionValue>> {
  if (positions.length === 0) return new Map();
  const open = positions.filter(({ closedAt }) => closedAt === null);
  const symbols = new Set(open.map(({ symbol }) => symbol));
  const [around, slots, worths] = await Promise.all([
    listSignalsAroundPositions(handle, {
      subscriptionId,
      seen,
      executionIds: positions.map(({ executionId }) => executionId),
      limit: SIGNALS_AROUND,
    }),
    listSlots(handle),
    open.some(({ volume }) => volume !== null) ? listPointValues(handle, subscriptionId, WORTHS_READ) : [],
  ]);
  const followed = followedSignals(positions, around);
  const [prices, markets] = await Promise.all([
    readPrices(handle, [...followed.values()]),
    listNewestPrices(handle, priceSourcesOf(slots.filter(({ symbol }) => symbols.has(symbol)))),
  ]);
  const marketOf = new Map(markets.map((market) => [market.symbol, market]));
  return new Map(
    positions.map((position) => {
      const signal = followed.get(position.executionId);
      const priced = signal && prices.get(signal.predId);
      const distance = priced ? Math.abs(priced.entryPrice - priced.stopPrice) : null;
      const market = position.closedAt === null ? (marketOf.get(position.symbol) ?? null) : null;
      return [position.executionId, valuePosition(position, { market, distance, worths })];
    }),
  );
}

/** The value of one position. Pure. */
export function valuePosition(
  position: Pick<
    Execution,
    "symbol" | "signal" | "closedAt" | "entryPrice" | "exitPrice" | "pnl" | "volume" | "currency"
  >,
  {
    market,
    distance,
    worths,
  }: { market: NewestPrice | null; distance: number | null; worths: readonly PointValue[] },
): PositionValue {
  const isOpen = position.closedAt === null;
  const entry = Number(position.entryPrice ?? 0);
  const at = isOpen ? (market?.price ?? 0) : Number(position.exitPrice ?? 0);
  const isOfOne = entry > 0 && at > 0 && at < MAX_PRICE_RATIO * entry && entry < MAX_PRICE_RATIO * at;
  const move = isOfOne ? (position.signal === "BUY" ? 1 : -1) * (at - entry) : null;
  return {
    market: isOfOne ? market : null,
    r: move === null || distance === null || !(distance > 0) ? null : move / distance,
    money: isOpen
      ? floatingMoney(position, move, worths)
      : position.pnl === null
        ? null
        : Number(position.pnl),
  };
}

function floatingMoney(
  { symbol, volume, currency }: Pick<Execution, "symbol" | "volume" | "currency">,
  move: number | null,
  worths: readonly PointValue[],
): number | null {
  if (volume === null || move === null) return null;
  const perLot = worths
    .filter((worth) => worth.symbol === symbol && worth.currency === currency && worth.perLot > 0)
    .map((worth) => worth.perLot);
  const typical = perLot.length < MIN_WORTHS ? null : median(perLot);
  return typical === null ? null : typical * move * Number(volume);
}

/** The signal that each position followed, by `executionId`. */
function followedSignals(
  positions: readonly Execution[],
  around: readonly SignalAroundPosition[],
): Map<number, SignalAroundPosition> {
  const byPosition = groupBy(around, ({ executionId }) => executionId);
  return new Map(
    positions.flatMap(({ executionId, signal: side, openedAt }) => {
      const signals = byPosition.get(executionId) ?? [];
      const [first] = signals;
      const found = first?.isNamed
        ? first.signal === side
          ? first
          : null
        : impliedSignalOf(signals, { side, openedAt });
      return found ? [[executionId, found] as const] : [];
    }),
  );
}
