import { db } from "@/db/client";
import { isSchemaCurrent } from "@/db/schema-guard";
import { lookUpKey } from "@/lib/access/keys/look-up";
import { errorFacts, log } from "@/lib/runtime/log";
import { memo } from "@/lib/runtime/memo";
import { processWide } from "@/lib/runtime/process-wide";
import { isDatabaseUnavailable, withDeadline } from "@/lib/runtime/unavailable";
import type { NotReadyReason } from "@/lib/vocabulary";

/** Balancers wait a second or more. */
const DEADLINE_MS = 700;
const SHARED_FOR_MS = 200;
/** The hash of no key: what counts is that the look-up answers. */
const NO_KEY = "readiness";

const state = () => processWide("readiness", () => ({ isStopping: false, hasSeenSchema: false }));

/** From now on this process is not ready: it was told to stop. */
export function markStopping(): void {
  state().isStopping = true;
}

/** Why this process should get no requests; null when it should. Never throws, and answers within a second. */
export async function readReadiness(): Promise<NotReadyReason | null> {
  return state().isStopping ? "stopping" : await readDatabase();
}

/** Callers at the same time share one reading, since no limit applies to them. */
const readDatabase = memo("readiness-of-database", { ttlMs: SHARED_FOR_MS }, async () => {
  try {
    return await withDeadline(askDatabase(), DEADLINE_MS);
  } catch (error) {
    if (!isDatabaseUnavailable(error))
      log("error", "readiness could not be judged", { error: errorFacts(error) });
    return "database_unavailable";
  }
});

async function askDatabase(): Promise<NotReadyReason | null> {
  // A schema that was current stays so: migrations only go forward.
  if (!state().hasSeenSchema) state().hasSeenSchema = await isSchemaCurrent(db());
  if (!state().hasSeenSchema) return "schema_not_current";
  await lookUpKey(NO_KEY);
  return null;
}
