import type { Handle } from "@/db/client";
import type { JudgedOutcome, LedgerSignal } from "@/db/queries/ledger";
import {
  addToRecord,
  type BinRow,
  type DayRow,
  type ResultRow,
  readOverlaps,
  saveOverlaps,
} from "@/db/queries/record";
import { inPieces } from "@/lib/runtime/in-pieces";
import { costMicroR } from "@/lib/signals/ledger/contents";
import { SECOND_MS } from "@/lib/time";
import { contributionOf, noOverlaps, type Overlaps, type Resolved } from "./contribution";
import { micro } from "./fixed-point";

/** Adds outcomes to the record's sums, in the order in which they stand in the ledger and in its transaction. */
export async function foldIntoRecord(tx: Handle, entered: LedgerSignal[]): Promise<void> {
  const judged = entered.flatMap((signal) =>
    signal.outcome === null ? [] : [{ signal, outcome: signal.outcome }],
  );
  if (judged.length === 0) return;
  const overlaps = await readOverlaps(tx, [...new Set(judged.map(({ signal }) => signal.slotId))]);
  const busy = new Map(
    overlaps.map(({ slotId, modelV, busyUntil }): [string, Overlaps] => [
      `${slotId}/${modelV}`,
      busyUntil.split(",").map(Number),
    ]),
  );
  const touched = new Map<string, { slotId: number; modelV: string; busy: Overlaps }>();
  const days = new Sums<DayRow>();
  const results = new Sums<ResultRow>();
  const bins = new Sums<BinRow>();
  await inPieces(judged, ({ signal, outcome }) => {
    const { slotId, modelV } = signal;
    const stream = `${slotId}/${modelV}`;
    const held = touched.get(stream)?.busy ?? busy.get(stream) ?? noOverlaps();
    touched.set(stream, { slotId, modelV, busy: held });
    const added = contributionOf(resolvedOf(signal, outcome), held);
    const ofDay = { slotId, modelV, day: signal.closesAt.toISOString().slice(0, 10) };
    const key = `${stream}/${ofDay.day}`;
    days.add(key, { ...ofDay, sums: { ...added.forecast } });
    for (const { forecaster, sums } of added.results)
      results.add(`${key}/${forecaster}`, { ...ofDay, forecaster, sums: { ...sums } });
    for (const { forecaster, bin, sums } of added.bins)
      bins.add(`${key}/${forecaster}/${bin}`, { ...ofDay, forecaster, bin, sums: { ...sums } });
  });
  await addToRecord(tx, { days: days.rows, results: results.rows, bins: bins.rows });
  await saveOverlaps(
    tx,
    [...touched.values()].map(({ slotId, modelV, busy: held }) => ({
      slotId,
      modelV,
      busyUntil: held.join(","),
    })),
  );
}

function resolvedOf(signal: LedgerSignal, outcome: JudgedOutcome): Resolved {
  return {
    symbol: signal.symbol,
    timeframe: signal.timeframe,
    ts: signal.ts,
    modelV: signal.modelV,
    signal: signal.signal,
    probs: [signal.probBuy, signal.probSell, signal.probNo],
    label: outcome.label,
    buyR: micro(outcome.buyR),
    sellR: micro(outcome.sellR),
    costR: costMicroR(signal, outcome),
    frequencies: signal.classFreq,
    closesS: signal.closesAt.getTime() / SECOND_MS,
    horizonEndS: outcome.horizonEnd.getTime() / SECOND_MS,
  };
}

/** Rows by key, added up. */
class Sums<R extends { sums: Record<string, number> }> {
  readonly #rows = new Map<string, R>();

  add(key: string, row: R): void {
    const held = this.#rows.get(key);
    if (held === undefined) {
      this.#rows.set(key, row);
      return;
    }
    const sums: Record<string, number> = held.sums;
    for (const [name, value] of Object.entries(row.sums)) sums[name] = (sums[name] ?? 0) + value;
  }

  get rows(): R[] {
    return [...this.#rows.values()];
  }
}
