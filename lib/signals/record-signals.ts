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
 * Stores signals; the only way into the service. Signals are immutable: an identical one is a no-op, other
 * content for the same slot, candle and model is 409. History, snapshot, waiting outcomes and version change
 * together. Returns the number of new signals.
 */
export async function recordSignals(tx: Transaction, rows: SignalRow[]): Promise<number> {
  await lockSignals(tx);
  const accepted = await insertSignals(tx, rows);
  if (accepted < rows.length && (await countConflictingSignals(tx, rows)) > 0)
    throw new AppError("signal_conflict");
  if (accepted > 0) await bumpSignalsVersion(tx);
  return accepted;
}
