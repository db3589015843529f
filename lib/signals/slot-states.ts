import { db } from "@/db/client";
import { listSlotStates } from "@/db/queries/slots";
import { memoBy } from "@/lib/runtime/memo";

const SHARED_FOR_MS = 1_000;
/** Maximum number of versions of signals whose result is cached. */
const MAX_VERSIONS = 4;

/**
 * Every slot with its champion and the times of its newest signal and candles. The result includes the given version of
 * the stored signals. It is cached for one second, so a new champion or candle may show a second late.
 */
export const slotStatesAtVersion = memoBy(
  "slot-states",
  { max: MAX_VERSIONS, ttlMs: SHARED_FOR_MS },
  (version: number) => String(version),
  () => listSlotStates(db()),
);
