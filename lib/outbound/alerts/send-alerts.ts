import type { Database, Transaction } from "@/db/client";
import {
  type AlertRecipient,
  closeEpisodesExcept,
  insertAlertNotifications,
  insertAlertWebhookPost,
  listAlertNotifications,
  listChampionDemotions,
  listRecentEpisodes,
  listUnmappedProductDeliveries,
  lockAlertRecipients,
  openEpisode,
  recordAlertEvent,
} from "@/db/queries/alerts";
import { insertMessages } from "@/db/queries/telegram-queue";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { adminPaths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { DAY_MS } from "@/lib/time";
import { writeInstant } from "@/lib/wire/json";
import { type DueNotification, dueNotifications } from "./due-notifications";
import { type AlertInputs, evaluateAlerts } from "./evaluate-alerts";

/** Alerts that ended longer ago than this are not sent, for example after a long outage of the worker. */
const SENT_WITHIN_MS = 2 * DAY_MS;

export interface AlertItem {
  title: string;
  text: string;
  path: string;
}

/**
 * Records alerts that begin, end or happen once, and queues one message with all due alerts for each owner who chose
 * them.
 */
export async function sendAlerts(database: Database, facts: AlertInputs): Promise<void> {
  const [unmapped, demotions] = await Promise.all([
    listUnmappedProductDeliveries(database),
    listChampionDemotions(database),
  ]);
  await database.transaction(async (tx) => {
    const wrong = evaluateAlerts(facts);
    for (const state of wrong) await openEpisode(tx, { ...state, openedAt: facts.now });
    await closeEpisodesExcept(
      tx,
      wrong.map(({ topic }) => topic),
      facts.now,
    );
    for (const { id, at, adapter } of unmapped)
      await recordAlertEvent(tx, {
        topic: "unmapped_product",
        subject: `delivery/${id}`,
        title: "Unmapped product",
        text: `A payment by ${adapter} bought an unmapped product: its plan was guessed.`,
        path: adminPaths.delivery(id),
        at,
      });
    for (const { id, at, symbol, timeframe, reason } of demotions)
      await recordAlertEvent(tx, {
        topic: "champion_demoted",
        subject: `training/${id}`,
        title: `${symbol} ${timeframe}: the champion was demoted`,
        text: reason,
        path: adminPaths.model(symbol, timeframe),
        at,
      });
  });
  await database.transaction(async (tx) => {
    const episodes = await listRecentEpisodes(tx, new Date(facts.now.getTime() - SENT_WITHIN_MS));
    for (const owner of await lockAlertRecipients(tx)) {
      const sent = await listAlertNotifications(
        tx,
        owner.administratorId,
        episodes.map(({ id }) => id),
      );
      const due = dueNotifications(episodes, sent, owner, facts.now);
      if (due.length === 0) continue;
      const fresh = await insertAlertNotifications(
        tx,
        owner.administratorId,
        due.map(({ episodeId, round }) => ({ episodeId, round })),
        facts.now,
      );
      const isFresh = ({ episodeId, round }: DueNotification) =>
        fresh.some((each) => each.episodeId === episodeId && each.round === round);
      const unsent = due.filter(isFresh);
      const [first] = unsent;
      if (first)
        await notify(tx, owner, unsent.map(itemOf), {
          name: `${first.episodeId}/${first.round}`,
          at: facts.now,
        });
    }
  });
}

/** Queues a test alert for an owner, by the owner's delivery method. */
export async function sendTestAlertTo(tx: Transaction, owner: AlertRecipient, at: Date): Promise<void> {
  const item = {
    title: "This is a test",
    text: "Nothing is wrong. Your alerts will arrive like this one.",
    path: adminPaths.alerts(),
  };
  await notify(tx, owner, [item], { name: `test/${at.getTime()}`, at });
}

function itemOf({ episode, round }: DueNotification): AlertItem {
  const { title, text, path, openedAt, closedAt } = episode;
  if (round === -1)
    return { title: `Over: ${title}`, text: `Since ${writeInstant(closedAt ?? openedAt)}. ${text}`, path };
  if (round > 0) return { title: `Still: ${title}`, text: `Since ${writeInstant(openedAt)}. ${text}`, path };
  // The alert ended before its first notification, for example within the quiet hours.
  const isOver = episode.subject === "" && closedAt !== null;
  return isOver
    ? {
        title: `Was: ${title}`,
        text: `From ${writeInstant(openedAt)} to ${writeInstant(closedAt)}. ${text}`,
        path,
      }
    : { title, text, path };
}

async function notify(
  tx: Transaction,
  owner: AlertRecipient,
  items: readonly AlertItem[],
  { name, at }: { name: string; at: Date },
): Promise<void> {
  const { administratorId } = owner;
  const dedupeKey = `owner-alert/${administratorId}/${name}`;
  switch (owner.way) {
    case "mail":
      await queueMail(tx, {
        kind: "owner-alert",
        dedupeKey,
        subscriptionId: null,
        recipient: owner.email,
        props: { name: owner.name, items: [...items] },
      });
      break;
    case "telegram":
      if (owner.telegramChatId !== null)
        await insertMessages(tx, [
          {
            dedupeKey,
            subscriptionId: null,
            chatId: owner.telegramChatId,
            kind: "reply",
            text: plainText(items),
          },
        ]);
      break;
    case "webhook":
      await insertAlertWebhookPost(tx, administratorId, postBody(items, at));
      break;
  }
}

/** Below Telegram's limit of 4,096 characters. */
const MAX_TEXT = 4_000;

function plainText(items: readonly AlertItem[]): string {
  const text = items
    .map(({ title, text, path }) => `${title}\n${text}\n${env().baseUrl}${path}`)
    .join("\n\n");
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function postBody(items: readonly AlertItem[], at: Date): string {
  return JSON.stringify({
    type: "owner.alert",
    timestamp: writeInstant(at),
    data: { items: items.map(({ title, text, path }) => ({ title, text, url: `${env().baseUrl}${path}` })) },
  });
}
