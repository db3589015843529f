import type { Database } from "@/db/client";
import { listKeysOfSeveralPlans } from "@/db/queries/reminders";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { DAY_MS } from "@/lib/time";
import type { PlanTier } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { readExpiryReminderDays } from "./expiry-reminder-days";
import { queueMails } from "./queue-mail";
import { type ListPaidUntil, listUnmailedEnds } from "./unmailed-ends";

/**
 * Queues a mail before a subscriber's plan changes to a lower one, once per change and at most one mail a day. Returns the number of new mails.
 */
export async function queuePlanEndingMails(
  database: Database,
  now: Date,
  listPaidUntil: ListPaidUntil,
): Promise<number> {
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
    const dedupeKey = `plan-ending/${key.keyId}/${writeInstant(changesAt)}`;
    return isDue && rankOf(nextPlan) < rankOf(planTier)
      ? [{ ...key, planTier, nextPlan, changesAt, dedupeKey }]
      : [];
  });
  const unmailed = await listUnmailedEnds(database, due, listPaidUntil, now);
  return queueMails(
    database,
    unmailed.map((key) => ({
      kind: "plan-ending" as const,
      dedupeKey: key.dedupeKey,
      subscriptionId: key.subscriptionId,
      recipient: key.email,
      props: {
        userName: key.userName,
        planTier: key.planTier,
        nextPlan: key.nextPlan,
        changesAt: writeInstant(key.changesAt),
        expiresAt: key.expiresAt && writeInstant(key.expiresAt),
        ...key.end,
      },
    })),
  );
}
