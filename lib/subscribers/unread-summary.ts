import type { DatabaseHandle } from "@/db/client";
import type { SlotScope } from "@/db/queries/slots";
import {
  findSeenUntil,
  listChampionsSince,
  type NewChampion,
  readUnreadCounts,
  writeSeenUntil,
} from "@/db/queries/unread-summary";
import { addDays } from "@/lib/time";

/** Days that the summary covers before the first "Mark as seen". */
const DAYS_AT_FIRST = 7;

type Happened = Awaited<ReturnType<typeof readUnreadCounts>>;

export interface UnreadSummary extends Happened {
  since: Date;
  /** Whether the subscriber ever marked events as seen. */
  isMarked: boolean;
  champions: NewChampion[];
}

/**
 * What happened for a subscription since the subscriber last marked everything as seen; before that, in the last
 * DAYS_AT_FIRST days, at most since the subscription began.
 */
export async function readUnreadSummary(
  handle: DatabaseHandle,
  of: { subscriptionId: number; subscribedAt: Date; scope: SlotScope },
  now: Date,
): Promise<UnreadSummary> {
  const seenUntil = await findSeenUntil(handle, of.subscriptionId);
  const atFirst = addDays(now, -DAYS_AT_FIRST);
  const since = seenUntil ?? (of.subscribedAt > atFirst ? of.subscribedAt : atFirst);
  const [happened, champions] = await Promise.all([
    readUnreadCounts(handle, { ...of, since, onlyHappened: seenUntil === null }),
    listChampionsSince(handle, { scope: of.scope, since }),
  ]);
  return { ...happened, since, isMarked: seenUntil !== null, champions };
}

/** Marks everything up to `until`, the time of the page, as seen; at most up to now. */
export async function markSeen(
  handle: DatabaseHandle,
  subscriptionId: number,
  until: Date,
  now: Date,
): Promise<void> {
  await writeSeenUntil(handle, subscriptionId, until < now ? until : now);
}
