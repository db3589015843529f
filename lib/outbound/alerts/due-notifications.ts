import type { AlertEpisode, AlertNotification, AlertRecipient } from "@/db/queries/alerts";
import { isQuietAt } from "@/lib/outbound/quiet-hours";
import { DAY_MS } from "@/lib/time";
import { MIN_NOTIFICATION_GAP_MS } from "./evaluate-alerts";

/**
 * A notification to send now, with its alert. `round` is 0 for the first notification, n for the reminder after n days,
 * and -1 for the end.
 */
export interface DueNotification extends AlertNotification {
  episode: AlertEpisode;
}

type Sent = AlertNotification & { at: Date };
type Choice = Pick<AlertRecipient, "topics" | "timeZone" | "quietFrom" | "quietTo" | "updatedAt">;

/**
 * The notifications of an owner that are due: new alerts, a daily reminder of lasting ones, and the end of `health`
 * alerts. None in quiet hours, and no new alert or reminder of a topic within an hour of the last one. An incident that
 * an administrator wrote does not delay the alert about a state. Alerts that ended before the owner last saved the alert
 * settings are not sent. Pure.
 */
export function dueNotifications(
  episodes: readonly AlertEpisode[],
  sent: readonly Sent[],
  choice: Choice,
  now: Date,
): DueNotification[] {
  if (isQuietAt(choice, choice.timeZone, now)) return [];
  const episodeOf = new Map(episodes.map((episode) => [episode.id, episode]));
  const isSent = (id: number, round: number) =>
    sent.some((one) => one.episodeId === id && one.round === round);
  const isTooSoon = ({ topic, subject }: AlertEpisode) =>
    sent.some(({ episodeId, round, at }) => {
      const former = episodeOf.get(episodeId);
      return (
        round >= 0 &&
        former?.topic === topic &&
        (former.subject === "") === (subject === "") &&
        now.getTime() - at.getTime() < MIN_NOTIFICATION_GAP_MS
      );
    });
  return episodes.flatMap((episode): DueNotification[] => {
    const { id, topic, closedAt, openedAt } = episode;
    if (!choice.topics.includes(topic)) return [];
    const isState = episode.subject === "";
    if (!isSent(id, 0)) {
      const isNews = closedAt === null || closedAt > choice.updatedAt;
      return isNews && !isTooSoon(episode) ? [{ episodeId: id, round: 0, episode }] : [];
    }
    if (isState && closedAt !== null && topic === "health")
      return isSent(id, -1) ? [] : [{ episodeId: id, round: -1, episode }];
    const round = Math.floor((now.getTime() - openedAt.getTime()) / DAY_MS);
    return closedAt === null && round > 0 && !isSent(id, round) && !isTooSoon(episode)
      ? [{ episodeId: id, round, episode }]
      : [];
  });
}
