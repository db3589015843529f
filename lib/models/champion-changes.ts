import { db } from "@/db/client";
import { listChampions } from "@/db/queries/models";
import { processWide } from "@/lib/runtime/process-wide";
import type { Timeframe } from "@/lib/vocabulary";

/** A slot that has another champion than at the read before, or its first one, and the version of that champion. */
export interface ChampionChangeEvent {
  symbol: string;
  timeframe: Timeframe;
  modelV: string;
}

/** Maximum number of changes in the list. */
const KEPT = 1_000;

/** The newest changes of champions since the first read in this process. All streams share them. */
class ChampionChanges {
  #changes: ChampionChangeEvent[] = [];
  /** Number of older changes that were dropped from the list. */
  #dropped = 0;
  #champions: Map<number, string> | null = null;
  #version = -1;
  #reading: Promise<void> | null = null;

  /**
   * Reads the changes up to at least this version of the models. Returns the number of changes so far, the dropped ones
   * included, as a position for `between`.
   */
  async placeAt(version: number): Promise<number> {
    while (this.#version < version) {
      this.#reading ??= this.#read(version).finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
    return this.#dropped + this.#changes.length;
  }

  /** The changes between two positions, without those that were dropped from the list. */
  between(from: number, to: number): ChampionChangeEvent[] {
    return this.#changes.slice(Math.max(0, from - this.#dropped), Math.max(0, to - this.#dropped));
  }

  async #read(version: number): Promise<void> {
    const champions = await listChampions(db());
    const before = this.#champions;
    if (before !== null) {
      for (const { slotId, symbol, timeframe, modelV } of champions)
        if (before.get(slotId) !== modelV) this.#changes.push({ symbol, timeframe, modelV });
    }
    const surplus = Math.max(0, this.#changes.length - KEPT);
    this.#changes.splice(0, surplus);
    this.#dropped += surplus;
    this.#champions = new Map(champions.map(({ slotId, modelV }) => [slotId, modelV]));
    this.#version = version;
  }
}

export function championChangeLog(): ChampionChanges {
  return processWide("champion-changes", () => new ChampionChanges());
}
