import { db } from "@/db/client";
import {
  countDirections,
  countMailQueue,
  countPayments,
  listUptimeDays,
  readDatabaseFacts,
} from "@/db/queries/admin-overview";
import { countClients } from "@/db/queries/admin-subscribers";
import { listIncidents } from "@/db/queries/incidents";
import { listJobRuns } from "@/db/queries/jobs";
import { env } from "../env";
import { readHealth } from "../health/read-health";
import { mailTransport } from "../mail/transport";
import { codeFigures } from "../metrics";
import { attentionItems } from "./attention";
import { readModelStates } from "./read-model-states";
import { readSlotStates } from "./read-slot-states";
import { remembered } from "./remembered";

export const UPTIME_DAYS = 90;
const MINUTE_MS = 60_000;

/** Everything that the overview shows, as of `now`. Figures over months are at most a minute old. */
export async function readOverview(now: Date) {
  const [health, slots, clients, day, month, uptime, incidents, mail, payments, database, jobs, models] =
    await Promise.all([
      readHealth(),
      readSlotStates(now),
      countClients(db()),
      countDirections(db(), 24),
      remembered("directions-30d", MINUTE_MS, () => countDirections(db(), 24 * 30)),
      remembered("uptime-90d", MINUTE_MS, () => listUptimeDays(db(), UPTIME_DAYS)),
      listIncidents(db(), new Date(now.getTime() - UPTIME_DAYS * 86_400_000), 5),
      countMailQueue(db()),
      countPayments(db()),
      readDatabaseFacts(db()),
      listJobRuns(db()),
      readModelStates(),
    ]);
  const staleSlots = slots.filter((slot) => slot.active && slot.stale);
  const transport = mailTransport().name;
  const attention = attentionItems({
    now,
    health: { status: health.status, reasons: health.reasons ?? [] },
    staleSlots,
    mail: { ...mail, transport },
    payments,
    clients,
    jobs,
    lastProbeAt: database.lastProbeAt,
    errors10min: codeFigures(10, now.getTime()),
    models: { drifting: models.drifting },
    features: { drifted: models.driftedFeatures },
    simulated: env().marketFeed === "demo",
  });
  return {
    health,
    slots,
    staleSlots,
    clients,
    directions: { day, month },
    uptime,
    incidents,
    mail: { ...mail, transport },
    payments,
    database,
    jobs,
    attention,
    errorsHour: codeFigures(60, now.getTime()),
  };
}
