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
 * The one way by which a signal gets into the service. A signal is immutable: the same again is a no-op, the same
 * slot, candle and model with other content is 409. History, snapshot, open outcomes and version move together.
 * Returns how many were new.
 */
export async function recordSignals(tx: Transaction, rows: SignalRow[]): Promise<number> {
  await lockSignals(tx);
  const accepted = await insertSignals(tx, rows);
  if (accepted < rows.length && (await countConflictingSignals(tx, rows)) > 0)
    throw new AppError("signal_conflict");
  if (accepted > 0) await bumpSignalsVersion(tx);
  return accepted;
}
