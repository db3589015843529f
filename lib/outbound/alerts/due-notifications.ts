import type { AlertEpisode, AlertNotification, AlertRecipient } from "@/db/queries/alerts";
import { isQuietAt } from "@/lib/outbound/quiet-hours";
import { DAY_MS } from "@/lib/time";
import { REPEAT_MS } from "./evaluate-alerts";

/** An alert to send now, with its round. */
export interface DueNotification extends AlertNotification {
  episode: AlertEpisode;
}

type Told = AlertNotification & { at: Date };
type Choice = Pick<AlertRecipient, "topics" | "timeZone" | "quietFrom" | "quietTo" | "updatedAt">;

/**
 * The notifications of an owner that are due: new alerts, a daily reminder of lasting ones, and their resolution.
 * None in quiet hours, and no new alert of a topic within an hour of the last one. Alerts that ended before the owner
 * chose their topic are not sent. Pure.
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
