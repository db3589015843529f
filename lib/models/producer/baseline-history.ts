import type { Database } from "@/db/client";
import { type CandleColumns, type CandleMark, markCandles, readCandles } from "@/db/queries/candles";
import type { Slot } from "@/db/queries/slots";
import { BaselineMemory, type BaselineSettings } from "@/lib/engine/baseline";
import { processWide } from "@/lib/runtime/process-wide";
import { RecentMap } from "@/lib/runtime/recent-map";
import type { Block } from "./baseline-block";

/** Slots whose candles stay in memory, 1 to 1.5 MB each; with more of them the longest unused are read again. */
const MOST_SLOTS = 64;

interface History {
  block: Block;
  /** Cost and settings that were counted with. */
  rule: string;
  mark: CandleMark;
  candles: CandleColumns;
  memory: BaselineMemory;
}

const held = () => processWide("baseline-histories", () => new RecentMap<number, History>(MOST_SLOTS));

/**
 * A slot's candles of a block, and what the baseline has learnt from them. Only candles that were added at the end are
 * read when the others are unchanged, which the database says by a hash of them.
 */
export async function readHistory(
  database: Database,
  slot: Slot,
  block: Block,
  settings: Partial<BaselineSettings>,
): Promise<{ candles: CandleColumns; memory: BaselineMemory }> {
  const rule = JSON.stringify([slot.costKind, slot.costValue, settings]);
  const from = new Date(block.historyFromMs);
  const to = new Date(block.untilMs);
  const known = held().get(slot.slotId);
  const before =
    known?.block.historyFromMs === block.historyFromMs && known.rule === rule ? known : undefined;
  const lastMs = before?.candles.ts.at(-1) ?? block.historyFromMs - 1;
  const marks = await markCandles(database, slot.slotId, { from, last: new Date(lastMs), to });
  const isUnchanged =
    before !== undefined && before.mark.n === marks.held.n && before.mark.hash === marks.held.hash;
  const candles = isUnchanged
    ? joined(before.candles, await readCandles(database, slot.slotId, { from: new Date(lastMs + 1), to }))
    : await readCandles(database, slot.slotId, { from, to });
  const memory = isUnchanged ? before.memory : new BaselineMemory(settings);
  held().set(slot.slotId, { block, rule, mark: marks.all, candles, memory });
  return { candles, memory };
}

function joined(a: CandleColumns, b: CandleColumns): CandleColumns {
  const column = (name: keyof CandleColumns) => {
    const values = new Float64Array(a.ts.length + b.ts.length);
    values.set(a[name]);
    values.set(b[name], a.ts.length);
    return values;
  };
  return {
    ts: column("ts"),
    open: column("open"),
    high: column("high"),
    low: column("low"),
    close: column("close"),
    volume: column("volume"),
  };
}
