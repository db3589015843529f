import type { Database } from "@/db/client";
import { listEndingKeys } from "@/db/queries/reminders";
import { DAY_MS } from "@/lib/time";
import { writeInstant } from "@/lib/wire/json";
import { readNoticeDays } from "./notice-days";
import { queueMails } from "./queue-mail";

/**
 * Remaining days, rounded up. A reminder that is sent late after an outage states these, and not the days of its schedule.
 */
export const daysLeftOf = (key: { expiresAt: Date }, now: Date): number =>
  Math.ceil((key.expiresAt.getTime() - now.getTime()) / DAY_MS);

/**
 * The reminder that is due for a key at `now`: the smallest of `noticeDays` (largest first) that is not less than the
 * remaining days; null: none. If the end was set later than that, by a new key or an extension, the next smaller one
 * follows: the owner has just seen the date.
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

/** Queues due reminders, each once per end of access. Returns the number of new mails. */
export async function queueExpiryReminders(database: Database, now: Date): Promise<number> {
  const noticeDays = await readNoticeDays(database);
  const longest = Math.max(...noticeDays) * DAY_MS;
  const keys = await listEndingKeys(database, { after: now, until: new Date(now.getTime() + longest) });
  const due = keys.flatMap((key) => {
    const days = dueReminderDays(key, now, noticeDays);
    return days === null ? [] : [{ ...key, days }];
  });
  return queueMails(
    database,
    due.map((key) => ({
      kind: "expiry-reminder" as const,
      dedupeKey: `expiry-reminder/${key.keyId}/${writeInstant(key.expiresAt)}/${key.days}`,
      subscriptionId: key.subscriptionId,
      recipient: key.email,
      props: {
        userName: key.userName,
        planTier: key.planTier,
        expiresAt: writeInstant(key.expiresAt),
        daysLeft: daysLeftOf(key, now),
      },
    })),
  );
}
