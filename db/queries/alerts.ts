import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lte, notInArray, or, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import {
  administrators,
  alertEpisodes,
  alertNotifications,
  alertSettings,
  alertWebhookPosts,
  paymentDeliveries,
  slots,
  trainings,
} from "@/db/schema";
import type { AlertTopic } from "@/lib/vocabulary";
import { columns, number, type Row } from "./columns";
import { IS_UNDELIVERED_MAIL } from "./mail-queue";
import { readSetting } from "./settings";

export type AlertSettings = typeof alertSettings.$inferSelect;
export type AlertEpisode = typeof alertEpisodes.$inferSelect;
export type AlertSettingsInput = Pick<
  AlertSettings,
  "topics" | "way" | "telegramChatId" | "webhookUrl" | "timeZone" | "quietFrom" | "quietTo"
>;

const DAY = sql`now() - interval '1 day'`;

/** An owner's alert settings; null: none are stored. */
export async function findAlertSettings(
  handle: DatabaseHandle,
  administratorId: number,
): Promise<AlertSettings | null> {
  const [row] = await handle
    .select()
    .from(alertSettings)
    .where(eq(alertSettings.administratorId, administratorId));
  return row ?? null;
}

/** Saves an owner's alert settings. The stored webhook secret is kept unless a new one is given. */
export async function saveAlertSettings(
  tx: Transaction,
  administratorId: number,
  wish: AlertSettingsInput & { webhookSecretEncrypted?: string },
): Promise<void> {
  const row = { ...wish, updatedAt: sql`now()` };
  await tx
    .insert(alertSettings)
    .values({ administratorId, ...row })
    .onConflictDoUpdate({ target: alertSettings.administratorId, set: row });
}

/** Owners with alert settings, locked until commit, so that two workers do not send the same alert. */
export async function lockAlertRecipients(tx: Transaction) {
  return tx
    .select({
      name: administrators.name,
      email: administrators.email,
      administratorId: alertSettings.administratorId,
      topics: alertSettings.topics,
      way: alertSettings.way,
      telegramChatId: alertSettings.telegramChatId,
      webhookUrl: alertSettings.webhookUrl,
      timeZone: alertSettings.timeZone,
      quietFrom: alertSettings.quietFrom,
      quietTo: alertSettings.quietTo,
      updatedAt: alertSettings.updatedAt,
    })
    .from(alertSettings)
    .innerJoin(administrators, eq(administrators.id, alertSettings.administratorId))
    .where(
      and(
        eq(administrators.role, "owner"),
        isNull(administrators.removedAt),
        isNotNull(administrators.acceptedAt),
      ),
    )
    .orderBy(asc(alertSettings.administratorId))
    .for("update", { of: alertSettings });
}
export type AlertRecipient = Awaited<ReturnType<typeof lockAlertRecipients>>[number];

/**
 * Opens an episode, a period in which the alert of this topic fires. If one is open, its title, text and path are updated.
 */
export async function openEpisode(
  tx: Transaction,
  row: { topic: AlertTopic; title: string; text: string; path: string; openedAt: Date },
): Promise<void> {
  const { title, text, path } = row;
  await tx.insert(alertEpisodes).values(row).onConflictDoUpdate({
    target: alertEpisodes.topic,
    targetWhere: sql`subject = '' and closed_at is null`,
    set: { title, text, path },
  });
}

/** Closes the open episodes of all topics except those in `stillWrong`, whose alerts still fire. */
export async function closeEpisodesExcept(
  tx: Transaction,
  stillWrong: readonly AlertTopic[],
  at: Date,
): Promise<void> {
  await tx
    .update(alertEpisodes)
    .set({ closedAt: at })
    .where(
      and(
        isNull(alertEpisodes.closedAt),
        eq(alertEpisodes.subject, ""),
        notInArray(alertEpisodes.topic, [...stillWrong]),
      ),
    );
}

/** Records an alert about a single event as a closed episode. Ignored if the topic and `subject` are recorded already. */
export async function recordAlertEvent(
  tx: Transaction,
  row: { topic: AlertTopic; subject: string; title: string; text: string; path: string; at: Date },
): Promise<void> {
  const { at, ...columns } = row;
  await tx
    .insert(alertEpisodes)
    .values({ ...columns, openedAt: at, closedAt: at })
    .onConflictDoNothing();
}

/** Open episodes, and those that closed after `since`: at most 500, oldest first. Alerts about single events are closed. */
export async function listRecentEpisodes(handle: DatabaseHandle, since: Date): Promise<AlertEpisode[]> {
  return handle
    .select()
    .from(alertEpisodes)
    .where(or(isNull(alertEpisodes.closedAt), gt(alertEpisodes.closedAt, since)))
    .orderBy(asc(alertEpisodes.openedAt), asc(alertEpisodes.id))
    .limit(500);
}

/** The newest episodes, newest first. */
export async function listNewestEpisodes(handle: DatabaseHandle, limit: number): Promise<AlertEpisode[]> {
  return handle
    .select()
    .from(alertEpisodes)
    .orderBy(desc(alertEpisodes.openedAt), desc(alertEpisodes.id))
    .limit(limit);
}

export interface AlertNotification {
  episodeId: number;
  /** 0: the first notification; 1 and up: the reminder after this many days; -1: the notification that the episode closed. */
  round: number;
}

/** The notifications that an owner (`administratorId`) got about these episodes, with their times. */
export async function listAlertNotifications(
  handle: DatabaseHandle,
  administratorId: number,
  episodeIds: readonly number[],
) {
  if (episodeIds.length === 0) return [];
  return handle
    .select({
      episodeId: alertNotifications.episodeId,
      round: alertNotifications.round,
      at: alertNotifications.at,
    })
    .from(alertNotifications)
    .where(
      and(
        eq(alertNotifications.administratorId, administratorId),
        inArray(alertNotifications.episodeId, [...episodeIds]),
      ),
    );
}

/** Records notifications to an owner. Returns those that were not recorded before; only these are to be sent. */
export async function insertAlertNotifications(
  tx: Transaction,
  administratorId: number,
  notifications: readonly AlertNotification[],
  at: Date,
): Promise<AlertNotification[]> {
  return tx
    .insert(alertNotifications)
    .values(notifications.map((notification) => ({ administratorId, ...notification, at })))
    .onConflictDoNothing()
    .returning({ episodeId: alertNotifications.episodeId, round: alertNotifications.round });
}

/** Queues an alert for the webhook of an owner. */
export async function insertAlertWebhookPost(
  tx: Transaction,
  administratorId: number,
  body: string,
): Promise<void> {
  await tx.insert(alertWebhookPosts).values({ administratorId, body });
}

/**
 * Leases for one minute the queued webhook post that has been due longest; null: none is due. After a crash the lease
 * expires and the attempt is repeated.
 */
export async function leaseAlertWebhookPost(database: DatabaseHandle) {
  const [row] = await database
    .update(alertWebhookPosts)
    .set({
      attempts: sql`${alertWebhookPosts.attempts} + 1`,
      nextAttemptAt: sql`now() + interval '1 minute'`,
    })
    .where(
      eq(
        alertWebhookPosts.id,
        sql`(select id from alert_posts where state = 'pending' and next_attempt_at <= now()
              order by next_attempt_at limit 1 for update skip locked)`,
      ),
    )
    .returning();
  return row ?? null;
}

/** Records the result of an attempt to send a queued webhook post. A `pending` post is tried again after `afterSeconds`. */
export async function recordAlertWebhookPostResult(
  handle: DatabaseHandle,
  id: number,
  result: { state: "pending" | "sent" | "dead"; lastCode: string | null; afterSeconds?: number },
): Promise<void> {
  const { afterSeconds = 0, ...columns } = result;
  await handle
    .update(alertWebhookPosts)
    .set({ ...columns, nextAttemptAt: sql`now() + make_interval(secs => ${afterSeconds})` })
    .where(eq(alertWebhookPosts.id, id));
}

/** The newest posts to an owner's webhook, with their state. */
export async function listAlertWebhookPosts(handle: DatabaseHandle, administratorId: number, limit: number) {
  return handle
    .select({
      id: alertWebhookPosts.id,
      state: alertWebhookPosts.state,
      attempts: alertWebhookPosts.attempts,
      lastCode: alertWebhookPosts.lastCode,
      createdAt: alertWebhookPosts.createdAt,
    })
    .from(alertWebhookPosts)
    .where(eq(alertWebhookPosts.administratorId, administratorId))
    .orderBy(desc(alertWebhookPosts.id))
    .limit(limit);
}

/** Unreviewed payment deliveries of the last 24 hours with the flag `unmapped_product`: the oldest 100. */
export async function listUnmappedProductDeliveries(handle: DatabaseHandle) {
  return handle
    .select({
      id: paymentDeliveries.id,
      at: paymentDeliveries.receivedAt,
      adapter: paymentDeliveries.adapter,
    })
    .from(paymentDeliveries)
    .where(
      and(
        sql`${paymentDeliveries.flags} <> '{}' and ${paymentDeliveries.reviewedAt} is null`,
        gt(paymentDeliveries.receivedAt, DAY),
        sql`'unmapped_product' = any(${paymentDeliveries.flags})`,
      ),
    )
    .orderBy(asc(paymentDeliveries.id))
    .limit(100);
}

/**
 * Trainings of the last 24 hours that demoted a slot's champion. Only the newest 1,000 trainings of all slots are
 * searched.
 */
export async function listChampionDemotions(handle: DatabaseHandle) {
  const newest = handle
    .select({
      id: trainings.id,
      slotId: trainings.slotId,
      at: trainings.trainedAt,
      change: trainings.change,
      reason: trainings.reason,
    })
    .from(trainings)
    .orderBy(desc(trainings.id))
    .limit(1_000)
    .as("newest");
  return handle
    .select({
      id: newest.id,
      at: newest.at,
      reason: newest.reason,
      symbol: slots.symbol,
      timeframe: slots.timeframe,
    })
    .from(newest)
    .innerJoin(slots, eq(slots.id, newest.slotId))
    .where(and(eq(newest.change, "demoted"), gt(newest.at, DAY), lte(newest.at, sql`now()`)));
}

const DEAD = columns({
  mails: number(
    `(select count(*)::int from mail_outbox where ${IS_UNDELIVERED_MAIL} and created_at > now() - interval '1 day')`,
  ),
  webhooks: number(
    "(select count(*)::int from webhook_deliveries where state = 'dead' and created_at > now() - interval '1 day')",
  ),
  telegram: number(
    "(select count(*)::int from telegram_messages where state = 'dead' and created_at > now() - interval '1 day')",
  ),
  channels: number(
    "(select count(*)::int from channel_deliveries where state = 'dead' and created_at > now() - interval '1 day')",
  ),
});
export type DeadLetterCounts = Row<typeof DEAD>;

/** Numbers of undeliverable messages that were queued in the last 24 hours. */
export async function countRecentDeadLetters(handle: DatabaseHandle): Promise<DeadLetterCounts> {
  return DEAD.one(handle, sql`select ${DEAD.list}`);
}

const REFUSALS = "payment_refusals";

/**
 * A run of consecutive payment deliveries with a wrong signature, at all processes together. A process adds its deliveries
 * from the third on, at most every ten seconds. Any delivery with a valid signature ends the run.
 */
export interface SignatureFailureRun {
  /** When this was stored. */
  at: string;
  /** Time of the first delivery of the run, or of the end of the run; missing in rows of release 1.2.0. */
  since?: string;
  /** Number of deliveries when this was stored; 0: the run has ended. */
  inARow: number;
}

/** The run of payment deliveries with a wrong signature that was stored last; null: none. */
export async function readSignatureFailureRun(handle: DatabaseHandle): Promise<SignatureFailureRun | null> {
  return readSetting<SignatureFailureRun>(handle, REFUSALS);
}

/** Adds `n` deliveries to the stored run, or starts a run, whose first delivery arrived at `since`. */
export async function addSignatureFailures(handle: DatabaseHandle, n: number, since: Date): Promise<void> {
  const added: SignatureFailureRun = { at: new Date().toISOString(), since: since.toISOString(), inARow: n };
  await handle.execute(sql`
    insert into settings as s (name, value) values (${REFUSALS}, ${JSON.stringify(added)}::jsonb)
    on conflict (name) do update set updated_at = now(), value = excluded.value ||
      case when (s.value ->> 'inARow')::int = 0 then '{}' else jsonb_build_object(
        'since', coalesce(s.value -> 'since', s.value -> 'at'), 'inARow', (s.value ->> 'inARow')::int + ${n}::int) end`);
}

/** Ends the stored run, if there is one. */
export async function endSignatureFailureRun(handle: DatabaseHandle): Promise<void> {
  const now = new Date().toISOString();
  const ended: SignatureFailureRun = { at: now, since: now, inARow: 0 };
  await handle.execute(sql`
    update settings set value = ${JSON.stringify(ended)}::jsonb, updated_at = now()
     where name = ${REFUSALS} and value ->> 'inARow' <> '0'`);
}
