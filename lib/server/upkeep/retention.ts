import { setTimeout as pause } from "node:timers/promises";
import type { DatabaseHandle } from "@/db/client";
import { removeOldAttempts } from "@/db/queries/attempt-counts";
import { deleteExpired, type RetentionState, writeRetentionState } from "@/db/queries/retention";
import { sweepLocalOutbox } from "@/lib/outbound/mail/sweep-local-outbox";
import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { cachedSetting } from "@/lib/settings/cached-settings";
import { RETAINED_KINDS, type RetainedKind } from "@/lib/vocabulary";

const ROWS_PER_BATCH = 1_000;
/** Limit per run and kind; the next run, an hour later, continues. */
const BATCHES_PER_RUN = 200;
/** Leaves time for requests between two batches. */
const PAUSE_MS = 50;

/** Deletes records that are older than the retention settings, in small batches. */
export async function removeOldRecords(
  handle: DatabaseHandle,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const removed: RetentionState["removed"] = {};
  await removeOldAttempts(handle);
  await settingsCache().get();
  const daysOf = cachedSetting("retention");
  for (const what of RETAINED_KINDS) {
    const days = daysOf[what];
    if (days === 0) continue;
    const n = await removeAll(handle, what, days, signal);
    if (signal.aborted) return;
    if (n > 0) removed[what] = n;
    // If mails are local files, the files are deleted with their rows.
    if (n > 0 && what === "mails") await sweepLocalOutbox(handle, env().dataDir);
    if (n > 0) log("info", "old records were removed", { kind: what, count: n });
  }
  await writeRetentionState(handle, { finishedAt: now.toISOString(), removed });
}

async function removeAll(
  handle: DatabaseHandle,
  what: RetainedKind,
  days: number,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < BATCHES_PER_RUN && !signal.aborted; batch++) {
    const n = await deleteExpired(handle, what, { days, limit: ROWS_PER_BATCH });
    total += n;
    if (n < ROWS_PER_BATCH) break;
    await pause(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
  return total;
}
