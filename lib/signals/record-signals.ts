import type { Transaction } from "@/db/client";
import {
  bumpSignalsVersion,
  findConflictingSignal,
  insertSignals,
  lockSignals,
  type SignalRow,
} from "@/db/queries/signals";
import type { Timeframe } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";
import { writeInstant } from "@/lib/wire/json";

/**
 * Stores new signals, each with an open outcome, and updates the newest signal of each slot and the version of signals.
 * Every signal enters the service through this function. A signal that is already stored with the same content is
 * skipped. Throws signal_conflict (409) if one is stored with other content for the same slot, candle and model.
 * Returns the number of new signals.
 */
export async function recordSignals(tx: Transaction, rows: SignalRow[]): Promise<number> {
  await lockSignals(tx);
  const accepted = await insertSignals(tx, rows);
  const conflict = accepted < rows.length ? await findConflictingSignal(tx, rows) : null;
  if (conflict !== null) throw signalConflictError(conflict);
  if (accepted > 0) await bumpSignalsVersion(tx);
  return accepted;
}

/** The error of a signal that is stored, or repeated in one call, with other content. Names the signal. */
export const signalConflictError = (of: { symbol: string; timeframe: Timeframe; ts: Date; modelV: string }) =>
  new AppError("signal_conflict", {
    detail: `A signal of ${of.symbol} ${of.timeframe} at ${writeInstant(of.ts)} by the model ${of.modelV} is known with other content.`,
  });
