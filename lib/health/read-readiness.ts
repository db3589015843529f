import { db } from "@/db/client";
import { isSchemaCurrent } from "@/db/schema-guard";
import { lookUpKey } from "@/lib/access/keys/look-up";
import { errorFacts, log } from "@/lib/runtime/log";
import { memo } from "@/lib/runtime/memo";
import { processWide } from "@/lib/runtime/process-wide";
import { isDatabaseUnavailable, withDeadline } from "@/lib/runtime/unavailable";
import type { NotReadyReason } from "@/lib/vocabulary";

/** Shorter than the timeout of load balancers, which is a second or more. */
const DEADLINE_MS = 700;
const SHARED_FOR_MS = 200;
/** A text that is no key's hash: the look-up only tests whether the database answers. */
const NO_KEY = "readiness";

const state = () => processWide("readiness", () => ({ isStopping: false, hasSeenSchema: false }));

/** Makes this process report "not ready", because it is stopping. */
export function markStopping(): void {
  state().isStopping = true;
}

/** Why this process should get no requests; null: it should. Never throws, and answers within a second. */
export async function readReadiness(): Promise<NotReadyReason | null> {
  return state().isStopping ? "stopping" : await readDatabase();
}

/** Concurrent callers share one reading, because no rate limit applies to them. */
const readDatabase = memo("readiness-of-database", { ttlMs: SHARED_FOR_MS }, async () => {
  try {
    return await withDeadline(askDatabase(), DEADLINE_MS);
  } catch (error) {
    if (!isDatabaseUnavailable(error))
      log("error", "could not assess the readiness", { error: errorFacts(error) });
    return "database_unavailable";
  }
});

async function askDatabase(): Promise<NotReadyReason | null> {
  // Migrations only go forward, so a current schema stays current.
  if (!state().hasSeenSchema) state().hasSeenSchema = await isSchemaCurrent(db());
  if (!state().hasSeenSchema) return "schema_not_current";
  await lookUpKey(NO_KEY);
  return null;
}
