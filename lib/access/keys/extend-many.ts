import type { Database } from "@/db/client";
import { readClock } from "@/db/queries/instants";
import { lockExtendable, type SubscriberFilter } from "@/db/queries/subscribers";
import { type Actor, recordAudits } from "@/lib/runtime/audit";
import { DAY_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import { changePaidTime, timeRow } from "./paid-time-of-keys";

/** Ends that one statement's limit leaves time for, with a margin: about a quarter of a millisecond for each. */
export const MOST_EXTENDED = 20_000;

/**
 * Moves the end of access of everyone whom the filter matches, whose access works and who has an end; returns how many,
 * or null when they are no longer as many as were shown before it was confirmed: then nothing is changed. Throws conflict for more than
 * MOST_EXTENDED.
 */
export async function extendMany(
  database: Database,
  wanted: { filter: SubscriberFilter; days: number; shown: number },
  actor: Actor,
): Promise<number | null> {
  const { filter, days, shown } = wanted;
  if (shown > MOST_EXTENDED)
    throw new AppError("conflict", {
      detail: `At most ${MOST_EXTENDED} subscribers are extended at once. Narrow the list.`,
    });
  return database.transaction(async (tx) => {
    const found = await lockExtendable(tx, filter);
    if (found.length !== shown) return null;
    const now = await readClock(tx);
    const accesses = await changePaidTime(
      tx,
      found.map(({ keyId }) => keyId),
      now,
      ({ key, access }) => ({
        end: [],
        add: [timeRow("extension", access?.planTier ?? key.planTier, now, days * DAY_MS)],
      }),
    );
    const extended = found.map((each) => ({
      ...each,
      until: accesses.get(each.keyId)?.expiresAt ?? each.was,
    }));
    await recordAudits(
      tx,
      extended.map(({ keyId, subscriptionId, was, until }) => ({
        actor,
        action: "key.extend",
        target: `key/${keyId}`,
        subscriptionId,
        details: { from: was.toISOString(), to: until.toISOString(), together: extended.length },
      })),
    );
    return extended.length;
  });
}
