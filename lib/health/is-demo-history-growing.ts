import { db } from "@/db/client";
import { readLedgerState } from "@/db/queries/ledger";
import { bestEffort } from "@/lib/runtime/best-effort";
import { env } from "@/lib/runtime/env";
import { memo } from "@/lib/runtime/memo";
import { SECOND_MS } from "@/lib/time";
import { readAssessment } from "./read-health";

/** More ledger entries than a running demo leaves out of its record's sums for a minute. */
const MAX_BACKLOG = 500;

/**
 * Whether this is a demo whose simulated history is still being made, so that its figures grow: a slot's newest signal
 * is old, or many entries of the ledger are not in the record's sums yet.
 */
export const isDemoHistoryGrowing = memo("demo-history", { ttlMs: 2 * SECOND_MS }, async () =>
  env().marketFeed === "demo" ? bestEffort(isBehind(), false) : false,
);

async function isBehind(): Promise<boolean> {
  const [{ assessment, database }, { size, folded }] = await Promise.all([
    readAssessment(),
    readLedgerState(db()),
  ]);
  const { totalActiveSlots, stalePredCount } = assessment;
  return database === "ok" && (totalActiveSlots === 0 || stalePredCount > 0 || size - folded > MAX_BACKLOG);
}
