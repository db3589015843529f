import type { Database } from "@/db/client";
import { listEndingKeys } from "@/db/queries/reminders";
import { includesTradingClient } from "@/lib/runtime/plan-features";
import { DAY_MS } from "@/lib/time";
import { writeInstant } from "@/lib/wire/json";
import { readExpiryReminderDays } from "./expiry-reminder-days";
import { queueMails } from "./queue-mail";
import { type ListPaidUntil, listUnmailedEnds } from "./unmailed-ends";

/** Days until a key expires, rounded up. A reminder that is sent late states these days, not those of its schedule. */
export const daysLeftOf = (key: { expiresAt: Date }, now: Date): number =>
  Math.ceil((key.expiresAt.getTime() - now.getTime()) / DAY_MS);

/**
 * The reminder that is due for a key at `now`: the smallest of `noticeDays` (sorted, largest first) that is not less
 * than the remaining days. Null: none is due, the key has expired, or its end was set after the time of this reminder,
 * so that the subscriber has just learned the date.
 */
export function dueReminderDays(
  key: { expiresAt: Date; expirySetAt: Date },
  now: Date,
  noticeDays: readonly number[],
): number | null {
  const leftMs = key.expiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return null;
  const days = noticeDays.findLast((reminder) => leftMs <= reminder * DAY_MS);
  if (days === undefined) return null;
  return key.expirySetAt.getTime() > key.expiresAt.getTime() - days * DAY_MS ? null : days;
}

/**
 * Queues the reminders that are due: for each end of access, one mail per number of days in the setting. An end that was
 * moved is reminded again. Returns the number of new mails.
 */
export async function queueExpiryReminders(
  database: Database,
  now: Date,
  listPaidUntil: ListPaidUntil,
): Promise<number> {
  const noticeDays = await readExpiryReminderDays(database);
  const longest = Math.max(...noticeDays) * DAY_MS;
  const keys = await listEndingKeys(database, { after: now, until: new Date(now.getTime() + longest) });
  const due = keys.flatMap((key) => {
    const days = dueReminderDays(key, now, noticeDays);
    const dedupeKey = `expiry-reminder/${key.keyId}/${writeInstant(key.expiresAt)}/${days}`;
    return days === null ? [] : [{ ...key, dedupeKey }];
  });
  const unmailed = await listUnmailedEnds(database, due, listPaidUntil, now);
  return queueMails(
    database,
    unmailed.map((key) => ({
      kind: "expiry-reminder" as const,
      dedupeKey: key.dedupeKey,
      subscriptionId: key.subscriptionId,
      recipient: key.email,
      props: {
        userName: key.userName,
        planTier: key.planTier,
        expiresAt: writeInstant(key.expiresAt),
        ...key.end,
        daysLeft: daysLeftOf(key, now),
        hasEa: key.hasCalled || includesTradingClient(key),
      },
    })),
  );
}
