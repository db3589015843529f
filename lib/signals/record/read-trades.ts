import { readLedgerState } from "@/db/queries/ledger";
import { listSlotNames } from "@/db/queries/record";
import { listNewestRecordTrades, type RecordTradeRow } from "@/db/queries/record-trades";
import { candleCloseMs } from "@/lib/market/timeframes";
import { MINUTE_MS } from "@/lib/time";
import type { RecordQuery } from "@/lib/wire/contracts/record";
import { isDemonstration } from "./record-rule";
import { selectionOf, withReadSnapshot } from "./selection";

/** Number of newest trades that are read. */
export const NEWEST_TRADES = 500;

/** A BUY or SELL signal with its result in the record. */
export interface Trade extends Omit<RecordTradeRow, "inTime" | "simulated" | "isFirst"> {
  /** Time from the close of the signal's candle to the exit, in minutes, closed hours included. */
  heldMinutes: number;
}

/**
 * Of the 500 newest trades of the selected slots, those that the record counts, newest exit first. If the query names a
 * model, only its trades. Throws 404 for an unknown slot or model.
 */
export async function readNewestTrades(
  query: Pick<RecordQuery, "symbol" | "tf_code" | "model_v">,
): Promise<Trade[]> {
  return withReadSnapshot(async (tx) => {
    const slots = await listSlotNames(tx);
    const { slotIds, modelV } = await selectionOf(tx, query, slots);
    const { folded } = await readLedgerState(tx);
    const rows = await listNewestRecordTrades(tx, {
      slotIds: slotIds ?? slots.map(({ slotId }) => slotId),
      // The record's sums include only the ledger entries before this one.
      before: folded,
      limit: NEWEST_TRADES,
    });
    return rows
      .filter(({ inTime, simulated, isFirst }) => isFirst && (isDemonstration() ? simulated : inTime))
      .filter((row) => modelV === undefined || row.modelV === modelV)
      .map(({ inTime: _inTime, simulated: _simulated, isFirst: _isFirst, ...trade }) => ({
        ...trade,
        heldMinutes:
          (trade.endedAt.getTime() - candleCloseMs(trade.ts.getTime(), trade.timeframe)) / MINUTE_MS,
      }));
  });
}

/** The trades whose signal's candle closed on one of these UTC days, both inclusive, as the record's periods count. */
export function tradesOfPeriod(
  trades: readonly Trade[],
  { from, to }: Pick<RecordQuery, "from" | "to">,
): readonly Trade[] {
  if (from === undefined && to === undefined) return trades;
  return trades.filter(({ ts, timeframe }) => {
    const day = new Date(candleCloseMs(ts.getTime(), timeframe)).toISOString().slice(0, 10);
    return (from === undefined || day >= from) && (to === undefined || day <= to);
  });
}

export interface SideFigures {
  n: number;
  wins: number;
  totalR: number;
}

export interface TradeFigures {
  n: number;
  /** Exit time of the trade that ended first. */
  since: Date;
  buy: SideFigures;
  sell: SideFigures;
  meanHeldMinutes: number;
  /** Maximum number of trades open at one moment. */
  mostOpen: number;
  best: Trade;
  worst: Trade;
  /** Results in bins of equal width, each including its lower edge. */
  bins: { lo: number; hi: number; n: number }[];
}

/** Width of a bin in R; doubled until there are few enough bins. */
const NARROWEST_BIN_R = 0.5;
const MAX_BINS = 16;

/** Figures of the newest trades; null without any. */
export function tradeFiguresOf(trades: readonly Trade[]): TradeFigures | null {
  const [first] = trades;
  if (first === undefined) return null;
  const side = (direction: Trade["direction"]): SideFigures => {
    const some = trades.filter((trade) => trade.direction === direction);
    return {
      n: some.length,
      wins: some.filter(({ resultR }) => resultR > 0).length,
      totalR: some.reduce((sum, { resultR }) => sum + resultR, 0),
    };
  };
  const best = trades.reduce((a, b) => (b.resultR > a.resultR ? b : a));
  const worst = trades.reduce((a, b) => (b.resultR < a.resultR ? b : a));
  const bins = binsOf(trades, worst.resultR, best.resultR);
  return {
    n: trades.length,
    since: new Date(Math.min(...trades.map(({ endedAt }) => endedAt.getTime()))),
    buy: side("BUY"),
    sell: side("SELL"),
    meanHeldMinutes: trades.reduce((sum, { heldMinutes }) => sum + heldMinutes, 0) / trades.length,
    mostOpen: mostOpenOf(trades),
    best,
    worst,
    bins,
  };
}

/** Maximum number of trades open at one moment. A trade that ends when another begins does not overlap it. */
function mostOpenOf(trades: readonly Trade[]): number {
  const changes = trades.flatMap(({ endedAt, heldMinutes }) => [
    { at: endedAt.getTime() - heldMinutes * MINUTE_MS, by: 1 },
    { at: endedAt.getTime(), by: -1 },
  ]);
  let [open, maxOpen] = [0, 0];
  for (const { by } of changes.toSorted((a, b) => a.at - b.at || a.by - b.by)) {
    open += by;
    maxOpen = Math.max(maxOpen, open);
  }
  return maxOpen;
}

function binsOf(trades: readonly Trade[], lowestR: number, highestR: number): TradeFigures["bins"] {
  let width = NARROWEST_BIN_R;
  while (Math.floor(highestR / width) - Math.floor(lowestR / width) >= MAX_BINS) width *= 2;
  const first = Math.floor(lowestR / width);
  const bins = Array.from({ length: Math.floor(highestR / width) - first + 1 }, (_, i) => ({
    lo: (first + i) * width,
    hi: (first + i + 1) * width,
    n: 0,
  }));
  for (const { resultR } of trades) {
    const bin = bins[Math.floor(resultR / width) - first];
    if (bin) bin.n++;
  }
  return bins;
}
