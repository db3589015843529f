import { MAX_POOL_SLOTS, makePoolSlot, type PoolSlot } from "@/lib/engine/models/pool";
import { MIN_TRAINING_CANDLES } from "@/lib/engine/train";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { type SlotSource, slotName } from "./run-slot";

/** The pool of each slot: other slots from whose candles its model also learns. Loads a slot once for all pools. */
export class SlotPools {
  readonly #made = new Map<string, Promise<PoolSlot | null>>();

  constructor(private readonly slots: readonly SlotSource[]) {}

  /** The pool of a slot: up to MAX_POOL_SLOTS other slots of its timeframe, without those with too few candles. */
  async of(slot: SlotSource): Promise<PoolSlot[]> {
    const alike = this.slots.filter(({ timeframe }) => timeframe === slot.timeframe);
    const others = alike.filter(({ symbol }) => symbol !== slot.symbol).slice(0, MAX_POOL_SLOTS);
    const pool: PoolSlot[] = [];
    for (const other of others) {
      const made = this.#made.get(slotName(other)) ?? make(other, others.length + 1);
      this.#made.set(slotName(other), made);
      const one = await made;
      if (one !== null) pool.push(one);
    }
    return pool;
  }
}

async function make(slot: SlotSource, slots: number): Promise<PoolSlot | null> {
  const candles = await slot.load();
  if (candles.ts.length < MIN_TRAINING_CANDLES) return null;
  return makePoolSlot(candles, timeframeMinutes(slot.timeframe), slots);
}
