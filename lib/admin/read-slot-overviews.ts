import { db } from "@/db/client";
import { listSlotStates } from "@/db/queries/slots";
import { slotFreshness } from "@/lib/market/freshness";
import { compareSlots } from "@/lib/market/slot-order";
import type { Timeframe } from "@/lib/vocabulary";

/** A slot for administrators: age of its newest signal in open-market minutes, and its model. */
export interface SlotOverview {
  slotId: number;
  symbol: string;
  timeframe: Timeframe;
  /** Whether the slot has a champion, so that fresh signals are expected. */
  active: boolean;
  modelV: string | null;
  lastSignalTs: Date | null;
  lastCandleTs: Date | null;
  ageMinutes: number | null;
  expectedMinutes: number;
  marketOpen: boolean;
  stale: boolean;
}

/** Every slot with its freshness at `now`, by symbol and timeframe. */
export async function readSlotOverviews(now: Date): Promise<SlotOverview[]> {
  const states = await listSlotStates(db());
  return states
    .map((state) => ({
      slotId: state.slotId,
      symbol: state.symbol,
      timeframe: state.timeframe,
      active: state.modelV !== null,
      modelV: state.modelV,
      lastSignalTs: state.lastSignalTs,
      lastCandleTs: state.lastCandleTs,
      ...slotFreshness({ ...state, lastTs: state.lastSignalTs, now }),
    }))
    .toSorted(compareSlots);
}
