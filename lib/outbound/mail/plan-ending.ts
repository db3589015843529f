import type { Database } from "@/db/client";
import { listKeysOfSeveralPlans } from "@/db/queries/reminders";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { DAY_MS } from "@/lib/time";
import type { PlanTier } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { readExpiryReminderDays } from "./expiry-reminder-days";
import { queueMails } from "./queue-mail";

/**
 * Queues a mail before a subscriber's plan changes to a lower one, once per change and at most one mail a day. Returns the number of new mails.
 */
export async function queuePlanEndingMails(database: Database, now: Date): Promise<number> {
  const [noticeDays, keys, { plans }] = await Promise.all([
    readExpiryReminderDays(database),
    listKeysOfSeveralPlans(database, now),
    settingsCache().get(),
  ]);
  const longestMs = Math.max(...noticeDays) * DAY_MS;
  const rankOf = (name: PlanTier | undefined) => plans.find((plan) => plan.name === name)?.rank ?? 0;
  const due = keys.flatMap(({ stretches, ...key }) => {
    const ahead = stretches.filter(({ until }) => until === null || new Date(until) > now);
    const [present, next] = ahead;
    const planTier = present?.plans[0];
    const nextPlan = next?.plans[0];
    if (planTier === undefined || nextPlan === undefined || !present?.until) return [];
    const changesAt = new Date(present.until);
    const isDue = changesAt.getTime() - now.getTime() <= longestMs;
    return isDue && rankOf(nextPlan) < rankOf(planTier) ? [{ ...key, planTier, nextPlan, changesAt }] : [];
  });
  return queueMails(
    database,
    due.map(({ keyId, subscriptionId, email, userName, planTier, nextPlan, changesAt, expiresAt }) => ({
      kind: "plan-ending" as const,
      dedupeKey: `plan-ending/${keyId}/${writeInstant(changesAt)}`,
      subscriptionId,
      recipient: email,
      props: {
        userName,
        planTier,
        nextPlan,
        changesAt: writeInstant(changesAt),
        expiresAt: expiresAt && writeInstant(expiresAt),
      },
    })),
  );
}
