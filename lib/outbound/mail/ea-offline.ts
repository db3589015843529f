import type { Database } from "@/db/client";
import { findEndOfMassSilence, listProbes, listSilentClients } from "@/db/queries/reminders";
import { isMarketOpen, openMinutesBetween } from "@/lib/market/calendar";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/lib/time";
import type { HealthState } from "@/lib/vocabulary";
import { writeInstant } from "@/lib/wire/json";
import { queueMails } from "./queue-mail";

const SILENT_MINUTES = 30;
const SEEN_WITHIN_MS = 7 * DAY_MS;
/**
 * How far back probes and the alert about most clients are read. It must be longer than 30 minutes, after which a silent
 * client causes a mail.
 */
const LOOK_BACK_MS = 3 * HOUR_MS;
/** Fewer clients can all stop together by chance. */
const MASS_SILENCE_CLIENTS = 4;
/** Probes are a minute apart; a longer gap means that the service itself was down. */
const GAP_MS = 2.5 * MINUTE_MS;

/**
 * Since when the service has run without a gap and without a probe that found it down, as far as its probes (newest
 * first) reach back; `now` if the newest is too old or found it down; null: no probes. While the service was down no
 * client could call, so that time does not count as silence.
 */
export function serviceUpSince(
  probes: readonly { minute: Date; status: HealthState }[],
  now: Date,
): Date | null {
  let earliest: Date | null = null;
  for (const { minute, status } of probes) {
    if (status === "down" || (earliest ?? now).getTime() - minute.getTime() > GAP_MS) break;
    earliest = minute;
  }
  return earliest ?? (probes.length > 0 ? now : null);
}

const latest = (a: Date | null, b: Date | null) => (a !== null && b !== null && b > a ? b : (a ?? b));

/**
 * Queues a mail for each subscription that called in the last 7 days and has been silent with all its keys for more
 * than 30 minutes in which the FX market was open and this service was up; once per silence, and only while the FX
 * market is open. Where most clients stopped together, the cause is on the way to this service rather than at each of
 * them: then only the operator has an alert, and silence counts from its end. Returns the number of new mails.
 */
export async function queueEaOfflineMails(database: Database, now: Date): Promise<number> {
  if (!isMarketOpen("fx", now)) return 0;
  const lookedBackTo = new Date(now.getTime() - LOOK_BACK_MS);
  const probes = await listProbes(database, lookedBackTo);
  const upSince = latest(
    serviceUpSince(probes, now),
    // If it has been firing for hours, most clients are no longer in use, and there is no outage.
    await findEndOfMassSilence(database, { since: lookedBackTo, now }),
  );
  const clients = await listSilentClients(database, {
    since: new Date(now.getTime() - SEEN_WITHIN_MS),
    until: new Date(now.getTime() - SILENT_MINUTES * MINUTE_MS),
  });
  const silent = clients.flatMap((client) => {
    const { stoppedTogether, wentOn } = client;
    if (stoppedTogether >= MASS_SILENCE_CLIENTS && stoppedTogether > wentOn) return [];
    const from = upSince !== null && upSince > client.lastSeenAt ? upSince : client.lastSeenAt;
    const silentMinutes = openMinutesBetween("fx", from, now);
    return silentMinutes > SILENT_MINUTES ? [{ ...client, silentMinutes }] : [];
  });
  return queueMails(
    database,
    silent.map((client) => ({
      kind: "ea-offline" as const,
      dedupeKey: `ea-offline/${client.subscriptionId}/${client.lastSeenAt.getTime()}`,
      subscriptionId: client.subscriptionId,
      recipient: client.email,
      props: {
        userName: client.userName,
        lastSeenAt: writeInstant(client.lastSeenAt),
        silentMinutes: Math.floor(client.silentMinutes),
      },
    })),
  );
}
