import type { DatabaseHandle } from "@/db/client";
import { type CandleGap, listCandleGaps } from "@/db/queries/feeds";
import { openMinutesBetween } from "@/lib/market/calendar";
import { candleCloseMs, timeframeMinutes } from "@/lib/market/timeframes";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@/lib/time";
import type { CalendarName, Timeframe } from "@/lib/vocabulary";

/** Gaps are searched in this many past days, or in the time that 5,000 candles of the slot take if that is shorter. */
export const MAX_GAP_SEARCH_DAYS = 30;
const HOLE_CANDLES = 5_000;

/** A gap in a slot's stored candles while the market was open. */
export interface MissingCandles {
  slotId: number;
  /** Open time of the last candle before the gap. */
  from: Date;
  /** Open time of the first candle after the gap. */
  to: Date;
  /** Number of candles that are missing in open market time. */
  candles: number;
}

interface SlotHours {
  slotId: number;
  timeframe: Timeframe;
  calendar: CalendarName;
}

/** The gaps between stored candles of these slots in which at least one candle is missing while the market was open. */
export async function findMissingCandles(
  handle: DatabaseHandle,
  slots: readonly SlotHours[],
  now: Date,
): Promise<MissingCandles[]> {
  const gaps = await listCandleGaps(
    handle,
    slots.map(({ slotId, timeframe }) => {
      const candleMs = timeframeMinutes(timeframe) * MINUTE_MS;
      const since = new Date(now.getTime() - Math.min(MAX_GAP_SEARCH_DAYS * DAY_MS, HOLE_CANDLES * candleMs));
      return { slotId, seconds: candleMs / SECOND_MS, since };
    }),
  );
  return missingInOpenHours(slots, gaps);
}

/** The gaps of these slots in which at least one candle is missing while the market was open. */
export function missingInOpenHours(
  slots: readonly SlotHours[],
  gaps: readonly CandleGap[],
): MissingCandles[] {
  const bySlot = new Map(slots.map((slot) => [slot.slotId, slot]));
  return gaps.flatMap((gap) => {
    const slot = bySlot.get(gap.slotId);
    if (slot === undefined) return [];
    const closeMs = candleCloseMs(gap.from.getTime(), slot.timeframe);
    const openMinutes = openMinutesBetween(slot.calendar, closeMs, gap.to);
    const candles = Math.floor(openMinutes / timeframeMinutes(slot.timeframe));
    return candles === 0 ? [] : [{ ...gap, candles }];
  });
}
