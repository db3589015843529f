import type { Handle } from "@/db/client";
import type { SlotScope } from "@/db/queries/slots";
import {
  type ChangedModel,
  findSeenUntil,
  listChampionsSince,
  readUnreadCounts,
  writeSeenUntil,
} from "@/db/queries/unread-summary";
import { addDays } from "@/lib/time";

/** Until anything is marked as seen, so many days are told, of those since the subscription began. */
const DAYS_AT_FIRST = 7;

type Happened = Awaited<ReturnType<typeof readUnreadCounts>>;

export interface UnreadSummary extends Happened {
  since: Date;
  /** false: nothing was marked as seen yet, and it is the last days. */
  isMarked: boolean;
  champions: ChangedModel[];
}

/** Everything that happened for a subscription since it was last marked as seen, however long ago that is. */
export async function readUnreadSummary(
  handle: Handle,
  of: { subscriptionId: number; subscribedAt: Date; scope: SlotScope },
  now: Date,
): Promise<UnreadSummary> {
  const seenUntil = await findSeenUntil(handle, of.subscriptionId);
  const atFirst = addDays(now, -DAYS_AT_FIRST);
  const since = seenUntil ?? (of.subscribedAt > atFirst ? of.subscribedAt : atFirst);
  const [happened, champions] = await Promise.all([
    readUnreadCounts(handle, { ...of, since }),
    listChampionsSince(handle, { scope: of.scope, since }),
  ]);
  return { ...happened, since, isMarked: seenUntil !== null, champions };
}

/** Marks as seen what happened up to the moment for which a page told it; a later one counts as now. */
export async function markSeen(
  handle: Handle,
  subscriptionId: number,
  until: Date,
  now: Date,
): Promise<void> {
  await writeSeenUntil(handle, subscriptionId, until < now ? until : now);
}
