import type { Handle } from "@/db/client";
import type { PauseTarget } from "@/db/queries/pauses";
import { listSlots } from "@/db/queries/slots";
import { listGrantedGroups } from "@/db/queries/subscribers";
import { coversSlot, touchesScope } from "@/lib/access/pauses";
import { effectiveScope } from "@/lib/access/plans";

/** Whom a pause would reach. */
export interface PauseReach {
  slots: number;
  /** Subscribers with working access to any of these slots. */
  subscribers: number;
  /** Those of them whose trading client has called within minutes. */
  online: number;
}

/** Whom a pause of this target would reach at this moment. */
export async function readPauseReach(handle: Handle, target: PauseTarget): Promise<PauseReach> {
  const [slots, groups] = await Promise.all([listSlots(handle), listGrantedGroups(handle)]);
  const reached = groups.filter((group) =>
    touchesScope(target, effectiveScope({ ...group, rateLimitPerMin: null })),
  );
  const total = (of: "subscribers" | "online") => reached.reduce((sum, group) => sum + group[of], 0);
  return {
    slots: slots.filter((slot) => coversSlot(target, slot)).length,
    subscribers: total("subscribers"),
    online: total("online"),
  };
}
