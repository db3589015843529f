import type { z } from "zod";
import type { Handle } from "@/db/client";
import { listChosenModels } from "@/db/queries/models";
import type { SignalRow } from "@/db/queries/signals";
import { ensureSlots, slotKey } from "@/db/queries/slots";
import { candleCloseAt } from "@/lib/market/timeframes";
import { recordSignals } from "@/lib/signals/record-signals";
import type { SignalItem } from "@/lib/wire/contracts/ingest";
import { AppError } from "@/lib/wire/errors";
import { describeSymbol } from "./describe-symbol";
import type { IngestResult } from "./result";

/**
 * Records signals of the operator's own pipeline, all or none. A known one with other content is 409. Where the operator
 * chose who forecasts a slot, the signals of a model that it does not show are kept beside.
 */
export async function ingestSignals(
  handle: Handle,
  items: z.output<typeof SignalItem>[],
): Promise<IngestResult> {
  return handle.transaction(async (tx) => {
    const slotIds = await ensureSlots(tx, items, describeSymbol);
    const chosen = await listChosenModels(tx, [...new Set(slotIds.values())]);
    const shown = new Map(chosen.map(({ slotId, modelV }) => [slotId, modelV]));
    const isBeside = (slotId: number, modelV: string) => shown.has(slotId) && shown.get(slotId) !== modelV;
    const distinct = new Map<string, SignalRow>();
    for (const item of items) {
      const slotId = slotIds.get(slotKey(item)) ?? 0;
      const row: SignalRow = {
        slotId,
        beside: isBeside(slotId, item.model_v),
        ts: item.ts,
        closesAt: candleCloseAt(item.ts, item.timeframe),
        modelV: item.model_v,
        signal: item.signal,
        confidence: item.confidence,
        probBuy: item.prob_buy,
        probSell: item.prob_sell,
        probNo: item.prob_no,
        regime: item.regime,
        expectedRr: item.expected_rr,
      };
      const identity = `${row.slotId}@${row.ts.getTime()}@${row.modelV}`;
      const earlier = distinct.get(identity);
      if (earlier && !sameContent(earlier, row)) throw new AppError("signal_conflict");
      distinct.set(identity, row);
    }
    const accepted = await recordSignals(tx, [...distinct.values()]);
    return { accepted, duplicates: items.length - accepted };
  });
}

function sameContent(a: SignalRow, b: SignalRow): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
