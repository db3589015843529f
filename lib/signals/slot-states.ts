import { db } from "@/db/client";
import { listSlotStates, type SlotState } from "@/db/queries/slots";
import { processWide } from "@/lib/runtime/process-wide";
import { StaleCache } from "@/lib/runtime/stale-cache";

const SHARED_FOR_MS = 1_000;
/** Versions that are asked for at the same time. */
const MOST_VERSIONS = 4;

const states = processWide(
  "slot-states",
  () =>
    new StaleCache<undefined, SlotState[]>({ max: MOST_VERSIONS, ttlMs: SHARED_FOR_MS, staleMs: 0 }, () =>
      listSlotStates(db()),
    ),
);

/**
 * Every slot with its model and times, at least as new as `version` of the shared signals. Callers within one second
 * share a reading, so a promoted model may show that much later.
 */
export function slotStatesAt(version: number): Promise<SlotState[]> {
  return states.get(String(version), undefined);
}
