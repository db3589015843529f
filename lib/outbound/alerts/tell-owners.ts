import type { Database, Transaction } from "@/db/client";
import {
  closeEpisodes,
  insertAlertPost,
  insertTellings,
  listDemotions,
  listRecentEpisodes,
  listTellings,
  listUnmappedDeliveries,
  lockOwnersToTell,
  type OwnerToTell,
  openEpisode,
  recordHappening,
} from "@/db/queries/alerts";
import { insertMessages } from "@/db/queries/telegram-queue";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { adminPaths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { DAY_MS } from "@/lib/time";
import { writeInstant } from "@/lib/wire/json";
import { type DueTelling, dueTellings } from "./due-tellings";
import { type AlertFacts, judgeAlerts } from "./judge-alerts";

/** What was over before that is told no more, such as after a long outage of the worker. */
const TOLD_WITHIN_MS = 2 * DAY_MS;

export interface AlertItem {
  title: string;
  text: string;
  path: string;
}

/** Records what is wrong and what happened, and tells every owner who wants it, each thing once in one message. */
export async function tellOwners(database: Database, facts: AlertFacts): Promise<void> {
  const [unmapped, demotions] = await Promise.all([
    listUnmappedDeliveries(database),
    listDemotions(database),
  ]);
  await database.transaction(async (tx) => {
    const wrong = judgeAlerts(facts);
    for (const state of wrong) await openEpisode(tx, { ...state, openedAt: facts.now });
    await closeEpisodes(
      tx,
      wrong.map(({ topic }) => topic),
      facts.now,
    );
    for (const { id, at, adapter } of unmapped)
      await recordHappening(tx, {
        topic: "unmapped_product",
        subject: `delivery/${id}`,
        title: "A product is in no table",
        text: `A payment by ${adapter} bought something that is not mapped: its plan was guessed.`,
        path: adminPaths.delivery(id),
        at,
      });
    for (const { id, at, symbol, timeframe, reason } of demotions)
      await recordHappening(tx, {
        topic: "champion_demoted",
        subject: `training/${id}`,
        title: `${symbol} ${timeframe}: the champion was demoted`,
        text: reason,
        path: adminPaths.model(symbol, timeframe),
        at,
      });
  });
  await database.transaction(async (tx) => {
    const episodes = await listRecentEpisodes(tx, new Date(facts.now.getTime() - TOLD_WITHIN_MS));
    for (const owner of await lockOwnersToTell(tx)) {
      const told = await listTellings(
        tx,
        owner.administratorId,
        episodes.map(({ id }) => id),
      );
      const due = dueTellings(episodes, told, owner, facts.now);
      if (due.length === 0) continue;
      const fresh = await insertTellings(
        tx,
        owner.administratorId,
        due.map(({ episodeId, round }) => ({ episodeId, round })),
        facts.now,
      );
      const isFresh = ({ episodeId, round }: DueTelling) =>
        fresh.some((each) => each.episodeId === episodeId && each.round === round);
      const telling = due.filter(isFresh);
      const [first] = telling;
      if (first)
        await tell(tx, owner, telling.map(itemOf), {
          name: `${first.episodeId}/${first.round}`,
          at: facts.now,
        });
    }
  });
}

/** Sends what an owner asked for to see whether it arrives. */
export async function tellOwnerForTest(tx: Transaction, owner: OwnerToTell, at: Date): Promise<void> {
  const item = {
    title: "This is a test",
    text: "Nothing is wrong. Your alerts will arrive like this one.",
    path: adminPaths.alerts(),
  };
  await tell(tx, owner, [item], { name: `test/${at.getTime()}`, at });
}

function itemOf({ episode, round }: DueTelling): AlertItem {
  const { title, text, path, openedAt, closedAt } = episode;
  if (round === -1)
    return { title: `Over: ${title}`, text: `Since ${writeInstant(closedAt ?? openedAt)}. ${text}`, path };
  if (round > 0) return { title: `Still: ${title}`, text: `Since ${writeInstant(openedAt)}. ${text}`, path };
  // What came and went while nobody was to be disturbed.
  const isOver = episode.subject === "" && closedAt !== null;
  return isOver
    ? {
        title: `Was: ${title}`,
        text: `From ${writeInstant(openedAt)} to ${writeInstant(closedAt)}. ${text}`,
        path,
      }
    : { title, text, path };
}

async function tell(
  tx: Transaction,
  owner: OwnerToTell,
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
      await insertAlertPost(tx, administratorId, postBody(items, at));
      break;
  }
}

/** Telegram takes 4,096 characters. */
const MOST_TEXT = 4_000;

function plainText(items: readonly AlertItem[]): string {
  const text = items
    .map(({ title, text, path }) => `${title}\n${text}\n${env().baseUrl}${path}`)
    .join("\n\n");
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
}

function postBody(items: readonly AlertItem[], at: Date): string {
  return JSON.stringify({
    type: "owner.alert",
    timestamp: writeInstant(at),
    data: { items: items.map(({ title, text, path }) => ({ title, text, url: `${env().baseUrl}${path}` })) },
  });
}
