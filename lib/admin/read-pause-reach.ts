import type { DatabaseHandle } from "@/db/client";
import type { PauseTarget } from "@/db/queries/pauses";
import { listSlots } from "@/db/queries/slots";
import { countSubscribersByGrant } from "@/db/queries/subscribers";
import { coversSlot, touchesScope } from "@/lib/access/pauses";
import { effectiveScope } from "@/lib/access/plans";

/** Numbers of slots and subscribers that a pause affects. */
export interface PauseReach {
  slots: number;
  /** Subscribers with working access whose scope overlaps the pause, without try-outs. */
  subscribers: number;
  /** Of those, subscribers whose trading client called within the last five minutes. */
  online: number;
}

/** Numbers of slots and subscribers that a pause of this target would affect now. */
export async function readPauseReach(handle: DatabaseHandle, target: PauseTarget): Promise<PauseReach> {
  const [slots, groups] = await Promise.all([listSlots(handle), countSubscribersByGrant(handle)]);
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
