import { readLedgerState } from "@/db/queries/ledger";
import { listRecordSignals, listSlotNames, type RecordSignalRow } from "@/db/queries/record";
import type { PublicSignals, PublicSignalsQuery, ResolvedSignal } from "@/lib/wire/contracts/record";
import { roundFigure } from "@/lib/wire/round";
import { demonstrationNotice } from "./record-rule";
import { selectionOf, withReadSnapshot } from "./selection";

/** One page of resolved signals, in the ledger's order or newest first. */
export async function readResolvedSignals(query: PublicSignalsQuery): Promise<PublicSignals> {
  return withReadSnapshot(async (tx) => {
    const { slotIds, modelV } = await selectionOf(tx, query, await listSlotNames(tx));
    const { size, folded } = await readLedgerState(tx);
    const rows = await listRecordSignals(tx, {
      slotIds,
      modelV,
      inTime: query.entered_later === undefined ? undefined : !query.entered_later,
      after: query.after,
      // While the record is being rebuilt, it is unknown whether signals of entries from `folded` on were in time.
      before: folded < size ? folded : undefined,
      newestFirst: query.order === "newest",
      // One more row shows whether there is another page.
      limit: query.limit + 1,
    });
    const shown = rows.slice(0, query.limit);
    return {
      notice: demonstrationNotice(),
      count: shown.length,
      items: shown.map(resolvedSignal),
      next: rows.length > query.limit ? (shown.at(-1)?.outcome ?? null) : null,
    };
  });
}

function resolvedSignal(row: RecordSignalRow): ResolvedSignal {
  return {
    seq: row.seq,
    symbol: row.symbol,
    timeframe: row.timeframe,
    signal: row.signal,
    confidence: row.confidence,
    prob_buy: row.probBuy,
    prob_sell: row.probSell,
    prob_no: row.probNo,
    regime: row.regime,
    expected_rr: row.expectedRr,
    ts: row.ts,
    model_v: row.modelV,
    created_at: row.createdAt,
    simulated: row.simulated,
    entered_later: !row.inTime,
    label: row.label,
    entry_price: row.entryPrice,
    barrier_distance: row.barrierDistance,
    // Six decimals, as in the ledger, so that every shown digit can be verified.
    buy_r: roundFigure(row.buyR),
    sell_r: roundFigure(row.sellR),
    result_r: roundFigure(row.resultR),
    exit_price: row.exitPrice,
    exit_reason: row.exitReason,
    ended_at: row.endedAt,
    ...(row.stop !== null && {
      stop: row.stop,
      target: row.target,
      horizon_candles: row.horizonCandles ?? undefined,
      rule: row.ruleVersion,
    }),
    entries: { commitment: row.commitment, reveal: row.reveal, outcome: row.outcome },
  };
}
