import type { Transaction } from "@/db/client";
import {
  bumpSignalsVersion,
  countConflictingSignals,
  insertSignals,
  lockSignals,
  type SignalRow,
} from "@/db/queries/signals";
import { AppError } from "@/lib/wire/errors";

/**
 * Stores new signals, each with an open outcome, and updates the newest signal of each slot and the version of signals.
 * Every signal enters the service through this function. A signal that is already stored with the same content is
 * skipped. Throws signal_conflict (409) if one is stored with other content for the same slot, candle and model.
 * Returns the number of new signals.
 */
export async function recordSignals(tx: Transaction, rows: SignalRow[]): Promise<number> {
  await lockSignals(tx);
  const accepted = await insertSignals(tx, rows);
  if (accepted < rows.length && (await countConflictingSignals(tx, rows)) > 0)
    throw new AppError("signal_conflict");
  if (accepted > 0) await bumpSignalsVersion(tx);
  return accepted;
}
