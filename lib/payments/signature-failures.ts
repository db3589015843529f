import { db } from "@/db/client";
import { addSignatureFailures, endSignatureFailureRun } from "@/db/queries/alerts";
import { processWide } from "@/lib/runtime/process-wide";

/** Consecutive failures from which on they are stored, where alerts read them; one or two may come from a scanner. */
const NOTED_FROM = 3;
/** Shortest time between two writes of a growing count. The end of a series is written at once. */
const NOTE_EVERY_MS = 10_000;

const NONE = { inARow: 0, unstored: 0, sinceMs: 0, notedAtMs: Number.NEGATIVE_INFINITY };
const state = () => processWide("payment-signature-failures", () => ({ ...NONE }));

/**
 * Counts a delivery with a wrong signature. From the third consecutive one at this process on, they are added to the
 * stored series of all processes, at most every ten seconds, and can alert the owners.
 */
export function recordSignatureFailure(): void {
  const seen = state();
  if (seen.inARow === 0) seen.sinceMs = Date.now();
  seen.inARow++;
  seen.unstored++;
  if (seen.inARow < NOTED_FROM || performance.now() - seen.notedAtMs < NOTE_EVERY_MS) return;
  seen.notedAtMs = performance.now();
  // Without a database these are not counted. A failure ten seconds later or more writes again.
  addSignatureFailures(db(), seen.unstored, new Date(seen.sinceMs)).catch(() => undefined);
  seen.unstored = 0;
}

/** Ends the series of failures of all processes, after a delivery with a valid signature. */
export function resetSignatureFailures(): void {
  Object.assign(state(), NONE);
  endSignatureFailureRun(db()).catch(() => undefined);
}
