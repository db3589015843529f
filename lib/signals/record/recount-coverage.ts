import type { DatabaseHandle } from "@/db/client";
import {
  listSlotsDueForCoverage,
  saveOfferedSlots,
  updateRecordCoverage,
} from "@/db/queries/record-coverage";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@/lib/time";

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A signal whose ledger entries have changed. */
export interface ChangedLedgerSignal {
  slotId: number;
  /** Open time of its candle. */
  ts: Date;
  inTime: boolean;
}

/**
 * Counts again, by slot and UTC day, the candles with a signal committed in time, and stores the counts: for the days
 * of `touched` and, once a day, for the days since the last count of every offered slot, whose newest candles may have
 * had no signal at that count.
 */
export async function recountCoverage(
  tx: DatabaseHandle,
  { touched, now }: { touched: readonly ChangedLedgerSignal[]; now: Date },
): Promise<void> {
  const today = dayOf(now.getTime());
  const first = new Map<number, number>();
  for (const { slotId, ts, inTime } of touched) {
    const held = first.get(slotId) ?? Number.POSITIVE_INFINITY;
    first.set(slotId, inTime ? Math.min(held, ts.getTime()) : held);
  }
  const offers = await listSlotsDueForCoverage(tx, { countedBefore: today, slotIds: [...first.keys()] });
  if (offers.length === 0) return;
  const offeredFrom = (slotId: number) => {
    const ms = first.get(slotId) ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(ms) ? new Date(ms) : null;
  };
  await saveOfferedSlots(
    tx,
    offers.map(({ slotId }) => ({ slotId, offeredFrom: offeredFrom(slotId) })),
    today,
  );
  const lengths = new Map(
    offers.map(({ slotId, timeframe }) => [slotId, timeframeMinutes(timeframe) * MINUTE_MS]),
  );
  const days = new Map<string, { slotId: number; day: string; seconds: number }>();
  const count = (slotId: number, ms: number) => {
    const day = dayOf(ms);
    const seconds = (lengths.get(slotId) ?? 0) / SECOND_MS;
    days.set(`${slotId}/${day}`, { slotId, day, seconds });
  };
  for (const { slotId, ts } of touched) count(slotId, ts.getTime());
  for (const { slotId, offeredFrom, countedOn } of offers) {
    if (offeredFrom === null || countedOn === null || countedOn >= today) continue;
    const waiting = Date.parse(countedOn) - 2 * (lengths.get(slotId) ?? 0) - DAY_MS;
    for (let ms = Math.max(offeredFrom.getTime(), waiting); ms <= now.getTime() + DAY_MS; ms += DAY_MS)
      if (dayOf(ms) <= today) count(slotId, ms);
  }
  await updateRecordCoverage(tx, [...days.values()], now);
}
