import type { Handle } from "@/db/client";
import { type CandleColumns, readCandles, readCandlesAround } from "@/db/queries/candles";
import { findExecution, type OneExecution } from "@/db/queries/executions";
import { findSlotSignal, listSignalsBefore, type SignalInForce } from "@/db/queries/signal-history";
import { listSlots, type Slot } from "@/db/queries/slots";
import { candleOpenMs, compareTimeframes, timeframeMinutes } from "@/lib/market/timeframes";
import { MINUTE_MS } from "@/lib/time";
import { signalInForce } from "./position-figures";

/** As many candles as a chart shows while a position is held, and around that. */
const MOST_HELD = 200;
const BEFORE = 40;
const AFTER = 20;
/** Candles that the deepest and farthest moves are looked for in: of the shortest timeframe that needs no more. */
const MOST_LOOKED_THROUGH = 2_000;
const SIGNALS_AROUND = 4;

/** A position with what is known around it. */
export interface ReadPosition {
  execution: OneExecution;
  /** Decimal places of a price; null: the symbol is not known here. */
  digits: number | null;
  signal: SignalInForce | null;
  /** The candles around it, and of which slot; null: none are stored. */
  chart: { slot: Slot; candles: CandleColumns } | null;
  /** The candles in which it was held, the first and the last in full; null also where its times are not believed. */
  held: { slot: Slot; candles: CandleColumns } | null;
}

/** One position of a subscription with the signal that it followed and the candles around it; null: it has none such. */
export async function readPosition(
  handle: Handle,
  wanted: { subscriptionId: number; executionId: number },
  now: Date,
): Promise<ReadPosition | null> {
  const execution = await findExecution(handle, wanted.subscriptionId, wanted.executionId);
  if (execution === null) return null;
  const slots = (await listSlots(handle))
    .filter(({ symbol }) => symbol === execution.symbol)
    .toSorted((a, b) => compareTimeframes(a.timeframe, b.timeframe));
  const from = execution.openedAt;
  const to = execution.closedAt ?? now;
  const heldMinutes = Math.max(0, (to.getTime() - from.getTime()) / MINUTE_MS);
  const fits = (most: number) => (slot: Slot) => heldMinutes / timeframeMinutes(slot.timeframe) <= most;
  const longest = slots.at(-1);
  const shown =
    slots.find((slot) => slot.timeframe === execution.timeframe && fits(MOST_HELD)(slot)) ??
    slots.find(fits(MOST_HELD)) ??
    longest;
  const fine = slots.find(fits(MOST_LOOKED_THROUGH)) ?? longest;
  const [signal, chart, held] = await Promise.all([
    followedSignal(handle, execution),
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

async function followedSignal(handle: Handle, execution: OneExecution): Promise<SignalInForce | null> {
  const { predId, symbol, timeframe, signal: side, openedAt } = execution;
  if (predId !== null) {
    const named = await findSlotSignal(handle, { predId, symbol, timeframe });
    return named?.signal === side ? named : null;
  }
  // A time on a broker's clock says nothing about what stood then.
  if (execution.clockSuspect) return null;
  const around = await listSignalsBefore(handle, {
    symbol,
    timeframe,
    before: openedAt,
    limit: SIGNALS_AROUND,
  });
  return signalInForce(around, { side, openedAt });
}

async function readAround(handle: Handle, slot: Slot, from: Date, to: Date) {
  // A position that was held for longer than a chart shows is seen from its newer part.
  const widestMs = 2 * MOST_HELD * timeframeMinutes(slot.timeframe) * MINUTE_MS;
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

async function readHeld(handle: Handle, slot: Slot, from: Date, to: Date) {
  const first = new Date(candleOpenMs(from.getTime(), slot.timeframe));
  const last = new Date(to.getTime() + 1);
  const candles = await readCandles(handle, slot.slotId, {
    from: first,
    to: last,
    newest: MOST_LOOKED_THROUGH,
  });
  return { slot, candles };
}
