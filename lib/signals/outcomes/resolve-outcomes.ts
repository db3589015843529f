import type { Database } from "@/db/client";
import { readCandlesAround } from "@/db/queries/candles";
import {
  bumpOutcomesVersion,
  countOpenOutcomes,
  deleteOpenOutcomes,
  insertOutcomes,
  listOpenSignals,
  type OpenSignal,
  type OutcomeRow,
} from "@/db/queries/outcomes";
import { listSlots, type Slot } from "@/db/queries/slots";
import { ATR_HISTORY_CANDLES, wilderAtr } from "@/lib/engine/atr";
import type { CostRule } from "@/lib/engine/costs";
import { levelDistances, OUTCOME_RULE, type Outcome, outcomeAtDistance } from "@/lib/engine/outcome";
import type { CandleSeries } from "@/lib/market/candles";
import { candleCloseMs } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";

/** Maximum number of signals per turn, so that a turn blocks this process only briefly. */
const SIGNALS_PER_TURN = 1_000;

/**
 * Stores the final outcome of every signal with an open outcome whose whole horizon has closed. Each turn stores
 * outcomes and deletes the open ones in one transaction, so an interrupted run can be repeated. Returns the number of
 * new outcomes.
 */
export async function resolveOutcomes(database: Database, signal?: AbortSignal): Promise<number> {
  const waiting = await countOpenOutcomes(database);
  let written = 0;
  for (const slot of await listSlots(database)) {
    if (!waiting.has(slot.slotId)) continue;
    written += await resolveSlot(database, slot, signal);
  }
  return written;
}

async function resolveSlot(database: Database, slot: Slot, signal?: AbortSignal): Promise<number> {
  const { timeframe } = slot;
  let written = 0;
  let after: number | null = null;
  while (!signal?.aborted) {
    const open = await listOpenSignals(database, slot.slotId, { after, limit: SIGNALS_PER_TURN });
    const [first, last] = [open[0], open.at(-1)];
    if (!first || !last) break;
    const candles = await readCandlesAround(database, slot.slotId, {
      from: new Date(first.ts),
      to: new Date(last.ts),
      before: ATR_HISTORY_CANDLES,
      after: OUTCOME_RULE.horizonCandles,
    });
    const cost = { kind: slot.costKind, value: slot.costValue };
    const { rows, withoutHistory } = outcomesOf(candles, open, { timeframe, cost });
    if (rows.length + withoutHistory.length > 0) {
      await database.transaction(async (tx) => {
        const fresh = await insertOutcomes(tx, slot.slotId, rows, cost);
        await deleteOpenOutcomes(tx, [...rows.map((row) => row.signalId), ...withoutHistory]);
        if (fresh > 0) await bumpOutcomesVersion(tx);
        written += fresh;
      });
    }
    if (open.length < SIGNALS_PER_TURN) break;
    // Several models may have signals of the last candle, and this turn may have read only some: the next
    // turn reads that candle again.
    after = last.ts === first.ts ? last.ts : last.ts - 1;
  }
  return written;
}

/**
 * The outcomes of the signals whose horizon has closed, and the ids of signals that can never have one. `open` must be
 * sorted, oldest first.
 */
function outcomesOf(
  candles: CandleSeries,
  open: OpenSignal[],
  { timeframe, cost }: { timeframe: Timeframe; cost: CostRule },
) {
  const atr = wilderAtr(candles, OUTCOME_RULE.atrPeriod);
  const rows: OutcomeRow[] = [];
  const withoutHistory: number[] = [];
  let index = 0;
  for (const signal of open) {
    while (index < candles.ts.length && (candles.ts[index] ?? 0) < signal.ts) index++;
    if (candles.ts[index] !== signal.ts) continue;
    // No outcome before 12 candles have closed, even if the signal has a shorter horizon.
    if (index + OUTCOME_RULE.horizonCandles >= candles.ts.length) continue;
    const barriers = barriersOf(signal, candles.close[index] ?? Number.NaN, atr[index] ?? Number.NaN);
    const outcome =
      barriers === null
        ? "no_history"
        : outcomeAtDistance({
            candles,
            index,
            ...barriers,
            cost,
          });
    if (outcome === "no_history") withoutHistory.push(signal.signalId);
    else if (outcome !== null) rows.push(outcomeRow(signal, outcome, candles, timeframe));
  }
  return { rows, withoutHistory };
}

/**
 * The barriers of a signal: the stop, target and horizon that its producer sent, or else those of the service's rule.
 * Null: the sent stop or target is on the wrong side of the entry.
 */
function barriersOf(
  { signal, expectedRr, stop, target, horizonCandles }: OpenSignal,
  entry: number,
  atr: number,
) {
  if (stop !== null && signal !== "NO_TRADE")
    return levelDistances(signal, entry, {
      stop,
      target,
      horizonCandles: horizonCandles ?? OUTCOME_RULE.horizonCandles,
    });
  return {
    distance: OUTCOME_RULE.atrMultiple * atr,
    // An expected_rr of 0 means no target, so such a signal ends by its stop or at the horizon.
    expectedRr: expectedRr > 0 ? expectedRr : Number.POSITIVE_INFINITY,
    rule: OUTCOME_RULE,
  };
}

function outcomeRow(
  signal: OpenSignal,
  outcome: Outcome,
  candles: CandleSeries,
  timeframe: Timeframe,
): OutcomeRow {
  const { buy, sell } = outcome;
  const followed = signal.signal === "NO_TRADE" ? null : signal.signal === "BUY" ? buy : sell;
  const endedIndex = followed?.endedIndex ?? Math.max(buy.endedIndex, sell.endedIndex);
  return {
    signalId: signal.signalId,
    modelV: signal.modelV,
    closesAt: signal.closesAt,
    signal: signal.signal,
    ruleVersion: outcome.ruleVersion,
    entryPrice: outcome.entryPrice,
    barrierDistance: outcome.barrierDistance,
    label: outcome.label,
    buyR: buy.netR,
    sellR: sell.netR,
    resultR: followed?.netR ?? null,
    exitPrice: followed?.exitPrice ?? null,
    exitReason: followed?.exitReason ?? null,
    endedAt: new Date(candleCloseMs(candles.ts[endedIndex] ?? 0, timeframe)),
  };
}
