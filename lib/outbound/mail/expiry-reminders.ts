import type { Database } from "@/db/client";
import { listEndingKeys } from "@/db/queries/reminders";
import { DAY_MS } from "@/lib/time";
import { writeInstant } from "@/lib/wire/json";
import { readNoticeDays } from "./notice-days";
import { queueMails } from "./queue-mail";

/** Whole days that are really left: a reminder that goes out late, after an outage, names these. */
export const daysLeftOf = (key: { expiresAt: Date }, now: Date): number =>
  Math.ceil((key.expiresAt.getTime() - now.getTime()) / DAY_MS);

/**
 * The reminder that is due for a key at `now`: the nearest of these days before its end (the most first) that has been
 * passed, or null. A key that was made or extended after that moment has no reminder for it: its owner has just seen the date.
 */
export function dueReminderDays(
  key: { expiresAt: Date; createdAt: Date },
  now: Date,
  noticeDays: readonly number[],
): number | null {
  const leftMs = key.expiresAt.getTime() - now.getTime();
  if (leftMs <= 0) return null;
  const days = noticeDays.findLast((reminder) => leftMs <= reminder * DAY_MS);
  if (days === undefined) return null;
  return key.createdAt.getTime() > key.expiresAt.getTime() - days * DAY_MS ? null : days;
}

/** Queues the reminders that are due, each once per end of access. Returns how many were new. */
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
