import type { AlertEpisode, AlertNotification, AlertRecipient } from "@/db/queries/alerts";
import { isQuietAt } from "@/lib/outbound/quiet-hours";
import { DAY_MS } from "@/lib/time";
import { REPEAT_MS } from "./evaluate-alerts";

/** What to tell an owner now: each episode with its round. */
export interface DueNotification extends AlertNotification {
  episode: AlertEpisode;
}

type Told = AlertNotification & { at: Date };
type Choice = Pick<AlertRecipient, "topics" | "timeZone" | "quietFrom" | "quietTo" | "updatedAt">;

/**
 * What an owner is to be told now: what is wrong or happened and was not told, what has lasted a further day, and that
 * the service is well again. Nothing in quiet hours; of a topic that was told within the hour, nothing new. What was
 * over before the owner chose it stays untold. Pure.
 */
export function dueNotifications(
  episodes: readonly AlertEpisode[],
  told: readonly Told[],
  choice: Choice,
  now: Date,
): DueNotification[] {
  if (isQuietAt(choice, choice.timeZone, now)) return [];
  const topicOf = new Map(episodes.map(({ id, topic }) => [id, topic]));
  const isTold = (id: number, round: number) =>
    told.some((telling) => telling.episodeId === id && telling.round === round);
  const isTooSoon = (topic: AlertEpisode["topic"]) =>
    told.some(
      ({ episodeId, round, at }) =>
        round >= 0 && topicOf.get(episodeId) === topic && now.getTime() - at.getTime() < REPEAT_MS,
    );
  return episodes.flatMap((episode): DueNotification[] => {
    const { id, topic, closedAt, openedAt } = episode;
    if (!choice.topics.includes(topic)) return [];
    const isState = episode.subject === "";
    if (!isTold(id, 0)) {
      const isNews = closedAt === null || closedAt > choice.updatedAt;
      return isNews && !isTooSoon(topic) ? [{ episodeId: id, round: 0, episode }] : [];
    }
    if (isState && closedAt !== null && topic === "health")
      return isTold(id, -1) ? [] : [{ episodeId: id, round: -1, episode }];
    const round = Math.floor((now.getTime() - openedAt.getTime()) / DAY_MS);
    return closedAt === null && round > 0 && !isTold(id, round) && !isTooSoon(topic)
      ? [{ episodeId: id, round, episode }]
      : [];
  });
}
