import type { Handle } from "@/db/client";
import { deleteOldFetches } from "@/db/queries/fetches";

const ROWS_PER_BATCH = 5_000;

/** Deletes what subscribers were shown longer ago than it is kept, a batch at a time. */
export async function deleteOldFetchesInBatches(
  handle: Handle,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  let deleted = ROWS_PER_BATCH;
  while (deleted === ROWS_PER_BATCH && !signal.aborted)
    deleted = await deleteOldFetches(handle, now, ROWS_PER_BATCH);
}
