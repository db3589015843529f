import type { z } from "zod";
import type { DatabaseHandle } from "@/db/client";
import { listCandleClosePrices } from "@/db/queries/candles";
import { listModelsBesideChampion, listSlotsWithForecastSource } from "@/db/queries/models";
import type { SignalRow } from "@/db/queries/signals";
import { ensureSlots, slotKey } from "@/db/queries/slots";
import { levelDistances, OUTCOME_RULE } from "@/lib/engine/outcome";
import { candleCloseAt } from "@/lib/market/timeframes";
import { recordSignals, signalConflictError } from "@/lib/signals/record-signals";
import type { SignalItem } from "@/lib/wire/contracts/ingest";
import { validationFailedError } from "@/lib/wire/errors";
import type { IngestResult } from "./result";
import { symbolDefaultsOf } from "./symbol-defaults";

/**
 * Stores signals of the operator's own pipeline, all or none. Throws 409 for a signal that is stored, or repeated in
 * the call, with other content. Signals of a model that its slot does not show are stored but not shown: any other model if
 * the operator chose the one to show, otherwise every other registered one.
 */
export async function ingestSignals(
  handle: DatabaseHandle,
  items: z.output<typeof SignalItem>[],
): Promise<IngestResult> {
  return handle.transaction(async (tx) => {
    const slotIds = await ensureSlots(tx, items, symbolDefaultsOf);
    const slots = [...new Set(slotIds.values())];
    const chosen = await listSlotsWithForecastSource(tx, slots);
    const shown = new Map(chosen.map(({ slotId, modelV }) => [slotId, modelV]));
    const notShown = await listModelsBesideChampion(tx, slots);
    const isSecond = (slotId: number, modelV: string) =>
      shown.has(slotId) ? shown.get(slotId) !== modelV : notShown.has(`${slotId}/${modelV}`);
    const distinct = new Map<string, SignalRow>();
    for (const item of items) {
      const slotId = slotIds.get(slotKey(item)) ?? 0;
      const row: SignalRow = {
        slotId,
        beside: isSecond(slotId, item.model_v),
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
        ...(item.stop != null && {
          stop: item.stop,
          target: item.target ?? null,
          horizonCandles: item.horizon_candles ?? OUTCOME_RULE.horizonCandles,
        }),
      };
      const identity = `${row.slotId}@${row.ts.getTime()}@${row.modelV}`;
      const earlier = distinct.get(identity);
      if (earlier && !sameContent(earlier, row)) throw signalConflictError({ ...item, modelV: item.model_v });
      distinct.set(identity, row);
    }
    await requireLevels(tx, items, (item) => slotIds.get(slotKey(item)) ?? 0);
    const accepted = await recordSignals(tx, [...distinct.values()]);
    return { accepted, duplicates: items.length - accepted };
  });
}

/**
 * Throws validation_failed if a stop or target is on the wrong side of the entry, the close of the signal's candle. If
 * that candle is not stored yet, the signal is accepted, and gets no outcome if its levels turn out to be invalid.
 */
async function requireLevels(
  tx: DatabaseHandle,
  items: readonly z.output<typeof SignalItem>[],
  slotOf: (item: z.output<typeof SignalItem>) => number,
): Promise<void> {
  const own = [...items.entries()].filter(([, { stop }]) => stop != null);
  if (own.length === 0) return;
  const closes = await listCandleClosePrices(
    tx,
    own.map(([, item]) => ({ slotId: slotOf(item), ts: item.ts })),
  );
  const errors = own.flatMap(([index, item], place) => {
    const { signal, stop, target } = item;
    const close = closes.get(place);
    if (close === undefined || stop == null || signal === "NO_TRADE") return [];
    const { horizonCandles } = OUTCOME_RULE;
    if (levelDistances(signal, close, { stop, target: target ?? null, horizonCandles })) return [];
    const isStop = signal === "BUY" ? stop >= close : stop <= close;
    const [field, side] = isStop
      ? ["stop", signal === "BUY" ? "below" : "above"]
      : ["target", signal === "BUY" ? "above" : "below"];
    const msg = `must lie ${side} ${close}, the close of the signal's candle`;
    return [{ loc: ["body", "items", index, field], msg, type: "value_error" }];
  });
  if (errors.length > 0) throw validationFailedError(errors);
}

function sameContent(a: SignalRow, b: SignalRow): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
