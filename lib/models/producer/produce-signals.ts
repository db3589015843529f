import type { Database } from "@/db/client";
import { findFirstCandle } from "@/db/queries/candles";
import { listSignalledCandles, type SignalRow } from "@/db/queries/signals";
import type { Slot } from "@/db/queries/slots";
import { BASELINE_VERSION, type BaselineSettings, produceBaselineSignals } from "@/lib/engine/baseline";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { recordSignals } from "@/lib/signals/record-signals";
import { MINUTE_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import { readHistory } from "./baseline-history";
import { signalRow } from "./signal-row";

/** The baseline looks back on at least so many lengths of a candle: more than two years of hours. */
const HISTORY_CANDLES = 20_000;
/** The beginning of its history stands still for so many lengths, then it moves on by as many. */
const BLOCK_CANDLES = 10_000;
const ROWS_PER_TRANSACTION = 5_000;

/** The candles that one pass of the baseline covers; epoch ms, the ends exclusive. */
export interface Block {
  historyFromMs: number;
  untilMs: number;
}

/**
 * The block that a candle belongs to. It depends on the candle alone, so that whoever makes its signal, and whenever,
 * counts the same history and says the same.
 */
export function blockOf(tsMs: number, timeframe: Timeframe): Block {
  const candleMs = timeframeMinutes(timeframe) * MINUTE_MS;
  const [historyMs, blockMs] = [HISTORY_CANDLES * candleMs, BLOCK_CANDLES * candleMs];
  const historyFromMs = Math.floor((tsMs - historyMs) / blockMs) * blockMs;
  return { historyFromMs, untilMs: historyFromMs + historyMs + blockMs };
}

/**
 * Makes the baseline's signals of a slot for its candles after `after` (open time; null: all of them) of which
 * `isDue` holds, and records those of candles that have none yet. Returns how many were new.
 */
export async function produceSignals(
  database: Database,
  slot: Slot,
  range: { after: Date | null; now: Date; isDue?: (ts: Date) => boolean },
  settings: Partial<BaselineSettings> = {},
): Promise<number> {
  const { timeframe, slotId } = slot;
  const { after, now, isDue = () => true } = range;
  let recorded = 0;
  let nextTs = await findFirstCandle(database, slotId, after);
  while (nextTs !== null) {
    const block = blockOf(nextTs.getTime(), timeframe);
    const { candles, memory } = await readHistory(database, slot, block, settings);
    const nextMs = nextTs.getTime();
    const fromIndex = candles.ts.findIndex((ts) => ts >= nextMs);
    if (fromIndex < 0) return recorded;
    const drafts = produceBaselineSignals({
      candles,
      fromIndex,
      toIndex: candles.ts.length,
      cost: { kind: slot.costKind, value: slot.costValue },
      settings,
      // What is made later is learnt from earlier: a past is made from the beginning of its history.
      ...(memory.fits(fromIndex) && { memory }),
    });
    const made = await listSignalledCandles(database, {
      slotId,
      modelV: BASELINE_VERSION,
      after: new Date(nextMs - 1),
    });
    const rows = drafts
      .filter((draft) => !made.has(draft.tsMs) && isDue(new Date(draft.tsMs)))
      .map((draft) => signalRow(slot, BASELINE_VERSION, draft, now));
    recorded += await record(database, rows);
    nextTs = await findFirstCandle(database, slotId, new Date(block.untilMs - 1));
  }
  return recorded;
}

async function record(database: Database, rows: SignalRow[]): Promise<number> {
  let recorded = 0;
  for (let i = 0; i < rows.length; i += ROWS_PER_TRANSACTION) {
    const chunk = rows.slice(i, i + ROWS_PER_TRANSACTION);
    recorded += await database.transaction((tx) => recordSignals(tx, chunk));
  }
  return recorded;
}
