import { LRUCache } from "lru-cache";
import type { Database } from "@/db/client";
import type { CandleColumns } from "@/db/queries/candles";
import type { Slot } from "@/db/queries/slots";
import { BaselineMemory, type BaselineSettings } from "@/lib/engine/baseline";
import { processWide } from "@/lib/runtime/process-wide";
import type { BaselineBlock } from "./baseline-block";
import { type CachedCandles, readCachedCandles } from "./cached-candles";

/** Maximum number of slots whose candles stay in memory, up to 1.5 MB each; the least recently used are dropped. */
const MAX_SLOTS = 64;

interface History extends CachedCandles {
  block: BaselineBlock;
  /** Cost rule and settings that the counts depend on, as text. */
  rule: string;
  memory: BaselineMemory;
}

const held = () => processWide("baseline-histories", () => new LRUCache<number, History>({ max: MAX_SLOTS }));

/**
 * A slot's candles of a block, and the baseline's counts over them (`memory`). Both are cached per slot: while the
 * earlier candles, the block, the cost rule and the settings are unchanged, only new candles are fetched. Each call
 * asks the database for a hash of the earlier ones.
 */
export async function readBaselineHistory(
  database: Database,
  slot: Slot,
  block: BaselineBlock,
  settings: Partial<BaselineSettings>,
): Promise<{ candles: CandleColumns; memory: BaselineMemory }> {
  const rule = JSON.stringify([slot.costKind, slot.costValue, settings]);
  const known = held().get(slot.slotId);
  const before =
    known?.block.historyFromMs === block.historyFromMs && known.rule === rule ? known : undefined;
  const range = { from: new Date(block.historyFromMs), to: new Date(block.untilMs) };
  const { mark, candles, isGrown } = await readCachedCandles(database, slot.slotId, range, before);
  const memory = (isGrown ? before?.memory : undefined) ?? new BaselineMemory(settings);
  held().set(slot.slotId, { block, rule, mark, candles, memory });
  return { candles, memory };
}
