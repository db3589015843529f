import { db } from "@/db/client";
import { writeSignatureFailures } from "@/db/queries/alerts";
import { processWide } from "@/lib/runtime/process-wide";

/** Consecutive failures from which on the series is stored, where alerts read it; one or two may come from a scanner. */
const NOTED_FROM = 3;
/** Shortest time between two writes of a growing count. The end of a series is written at once. */
const NOTE_EVERY_MS = 10_000;

const state = () =>
  processWide("payment-signature-failures", () => ({
    inARow: 0,
    sinceMs: 0,
    notedAtMs: Number.NEGATIVE_INFINITY,
  }));

/**
 * Counts a delivery with a wrong signature at this process. From the third consecutive one on, the series is stored,
 * at most every ten seconds, and can alert the owners.
 */
export function recordSignatureFailure(): void {
  const seen = state();
  if (seen.inARow === 0) seen.sinceMs = Date.now();
  seen.inARow++;
  if (seen.inARow < NOTED_FROM || performance.now() - seen.notedAtMs < NOTE_EVERY_MS) return;
  seen.notedAtMs = performance.now();
  note(seen.inARow, seen.sinceMs);
}

/** Ends the series of failures, after a delivery with a valid signature. */
export function resetSignatureFailures(): void {
  const seen = state();
  const wasNoted = seen.inARow >= NOTED_FROM;
  seen.inARow = 0;
  seen.notedAtMs = Number.NEGATIVE_INFINITY;
  if (wasNoted) note(0, Date.now());
}

function note(inARow: number, sinceMs: number): void {
  const since = new Date(sinceMs).toISOString();
  // Without a database this note is lost. A failure ten seconds later or more writes another.
  writeSignatureFailures(db(), { at: new Date().toISOString(), since, inARow }).catch(() => undefined);
}
