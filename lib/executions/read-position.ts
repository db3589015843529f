import type { DatabaseHandle } from "@/db/client";
import { type CandleColumns, readCandles, readCandlesAround } from "@/db/queries/candles";
import { type ExecutionWithSignalId, findExecution } from "@/db/queries/executions";
import { findSlotSignal, listSignalsBefore, type SignalWithResult } from "@/db/queries/signal-history";
import { listSlots, type Slot, type VisibleSignals } from "@/db/queries/slots";
import { candleOpenMs, compareTimeframes, timeframeMinutes } from "@/lib/market/timeframes";
import { MINUTE_MS } from "@/lib/time";
import { impliedSignalOf } from "./position-figures";

/** If a position lasted for more candles of a timeframe than this, its chart uses a longer timeframe. */
const MAX_CHART_CANDLES = 200;
/** Number of candles that the chart shows before the position. */
const BEFORE = 40;
/** Number of candles that the chart shows after the position. */
const AFTER = 20;
/** Maximum number of candles that are searched for the largest moves, in the shortest timeframe that needs no more. */
const MAX_SEARCHED_CANDLES = 2_000;
const SIGNALS_AROUND = 4;

/** A position with its signal and candles. */
export interface PositionWithCandles {
  execution: ExecutionWithSignalId;
  /** Decimal places of a price; null: this service does not have the symbol. */
  digits: number | null;
  signal: SignalWithResult | null;
  /** The candles around the position, and their slot; null: none are stored. */
  chart: { slot: Slot; candles: CandleColumns } | null;
  /**
   * The candles during the position, at most the newest 2,000, the first and last in full; null: none are stored, or
   * the position's times are not plausible.
   */
  held: { slot: Slot; candles: CandleColumns } | null;
}

/**
 * A subscription's position with its candles and the signal that it followed; null if there is no such position. The
 * signal is left out unless the subscription may see it, because a report can name any signal.
 */
export async function readPosition(
  handle: DatabaseHandle,
  wanted: { subscriptionId: number; executionId: number; seen: VisibleSignals },
  now: Date,
): Promise<PositionWithCandles | null> {
  const execution = await findExecution(handle, wanted.subscriptionId, wanted.executionId);
  if (execution === null) return null;
  const slots = (await listSlots(handle))
    .filter(({ symbol }) => symbol === execution.symbol)
    .toSorted((a, b) => compareTimeframes(a.timeframe, b.timeframe));
  const from = execution.openedAt;
  const to = execution.closedAt ?? now;
  const heldMinutes = Math.max(0, (to.getTime() - from.getTime()) / MINUTE_MS);
  const fits = (max: number) => (slot: Slot) => heldMinutes / timeframeMinutes(slot.timeframe) <= max;
  const longest = slots.at(-1);
  const shown =
    slots.find((slot) => slot.timeframe === execution.timeframe && fits(MAX_CHART_CANDLES)(slot)) ??
    slots.find(fits(MAX_CHART_CANDLES)) ??
    longest;
  const fine = slots.find(fits(MAX_SEARCHED_CANDLES)) ?? longest;
  const [signal, chart, held] = await Promise.all([
    followedSignal(handle, execution, wanted.seen),
    shown && readAround(handle, shown, from, to),
    fine && !execution.clockSuspect && readHeld(handle, fine, from, to),
  ]);
  return {
    execution,
    digits: slots[0]?.digits ?? null,
    signal,
    chart: chart && chart.candles.ts.length > 0 ? chart : null,
    held: held && held.candles.ts.length > 0 ? held : null,
  };
}

async function followedSignal(
  handle: DatabaseHandle,
  execution: ExecutionWithSignalId,
  seen: VisibleSignals,
): Promise<SignalWithResult | null> {
  const { predId, symbol, timeframe, signal: side, openedAt } = execution;
  if (predId !== null) {
    const named = await findSlotSignal(handle, { predId, symbol, timeframe, seen });
    return named?.signal === side ? named : null;
  }
  // The opening time may be in the broker's time zone and then cannot be matched with signals.
  if (execution.clockSuspect) return null;
  const around = await listSignalsBefore(handle, {
    symbol,
    timeframe,
    seen,
    before: openedAt,
    limit: SIGNALS_AROUND,
  });
  return impliedSignalOf(around, { side, openedAt });
}

async function readAround(handle: DatabaseHandle, slot: Slot, from: Date, to: Date) {
  // A position longer than this, even in candles of the longest timeframe, is shown only in its later part.
  const widestMs = 2 * MAX_CHART_CANDLES * timeframeMinutes(slot.timeframe) * MINUTE_MS;
  const seenFromMs = Math.max(from.getTime(), to.getTime() - widestMs);
  const first = new Date(candleOpenMs(seenFromMs, slot.timeframe));
  const candles = await readCandlesAround(handle, slot.slotId, {
    from: first,
    to,
    before: BEFORE,
    after: AFTER,
  });
  return { slot, candles };
}

async function readHeld(handle: DatabaseHandle, slot: Slot, from: Date, to: Date) {
  const first = new Date(candleOpenMs(from.getTime(), slot.timeframe));
  const last = new Date(to.getTime() + 1);
  const candles = await readCandles(handle, slot.slotId, {
    from: first,
    to: last,
    newest: MAX_SEARCHED_CANDLES,
  });
  return { slot, candles };
}
