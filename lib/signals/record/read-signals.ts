import { listRecordSlots, listResolved, type ResolvedRow } from "@/db/queries/record";
import type { PublicSignals, PublicSignalsQuery, ResolvedSignal } from "@/lib/wire/contracts/record";
import { roundFigure } from "@/lib/wire/round";
import { isSimulated } from "./is-simulated";
import { inOneSnapshot, selectionOf } from "./selection";

/** One page of resolved signals, in the order in which they came into the ledger, or the newest first. */
export async function readResolvedSignals(query: PublicSignalsQuery): Promise<PublicSignals> {
  return inOneSnapshot(async (tx) => {
    const { slotIds, modelV } = await selectionOf(tx, query, await listRecordSlots(tx));
    const rows = await listResolved(tx, {
      slotIds,
      modelV,
      after: query.after,
      newestFirst: query.order === "newest",
      // One more tells whether there is another page.
      limit: query.limit + 1,
    });
    const shown = rows.slice(0, query.limit);
    return {
      count: shown.length,
      items: shown.map(resolvedSignal),
      next: rows.length > query.limit ? (shown.at(-1)?.outcome ?? null) : null,
    };
  });
}

function resolvedSignal(row: ResolvedRow): ResolvedSignal {
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
    simulated: isSimulated(row),
    entered_later: !row.hasSalt,
    label: row.label,
    entry_price: row.entryPrice,
    barrier_distance: row.barrierDistance,
    // Six decimals, as they are sealed: every digit that is shown can be checked.
    buy_r: roundFigure(row.buyR),
    sell_r: roundFigure(row.sellR),
    result_r: roundFigure(row.resultR),
    exit_price: row.exitPrice,
    exit_reason: row.exitReason,
    ended_at: row.endedAt,
    entries: { commitment: row.commitment, reveal: row.reveal, outcome: row.outcome },
  };
}
