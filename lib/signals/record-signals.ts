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
 * Stores signals. Every signal enters the service through this function. Signals are immutable: an identical one is a
 * no-op; throws 409 for other content of the same slot, candle and model. History, snapshot, waiting outcomes and
 * version change in one transaction. Returns the number of new signals.
 */
export async function recordSignals(tx: Transaction, rows: SignalRow[]): Promise<number> {
  await lockSignals(tx);
  const accepted = await insertSignals(tx, rows);
  if (accepted < rows.length && (await countConflictingSignals(tx, rows)) > 0)
    throw new AppError("signal_conflict");
  if (accepted > 0) await bumpSignalsVersion(tx);
  return accepted;
}
