import { db } from "@/db/client";
import { listSlotStates } from "@/db/queries/slots";
import { memoBy } from "@/lib/runtime/memo";

const SHARED_FOR_MS = 1_000;
/** Maximum number of versions requested at the same time. */
const MAX_VERSIONS = 4;

/**
 * Every slot with its model and times, at least as new as a version of the shared signals. Callers within one
 * second share a reading, so a promotion may show a second late.
 */
export const slotStatesAt = memoBy(
  "slot-states",
  { max: MAX_VERSIONS, ttlMs: SHARED_FOR_MS },
  (version: number) => String(version),
  () => listSlotStates(db()),
);
