import { db } from "@/db/client";
import { readDatabaseFacts } from "@/db/queries/database-facts";
import { countPayments } from "@/db/queries/deliveries";
import { listJobRuns } from "@/db/queries/jobs";
import { countMailQueue } from "@/db/queries/mail-queue";
import { countDirections } from "@/db/queries/signal-history";
import { countClients } from "@/db/queries/subscribers";
import { readJudgement } from "@/lib/health/read-health";
import { readStatusPage } from "@/lib/health/read-status-page";
import { mailTransport } from "@/lib/outbound/mail/mail-transport";
import { env } from "@/lib/runtime/env";
import { codeFigures } from "@/lib/runtime/metrics";
import { sharedFor } from "@/lib/runtime/shared-for";
import { MINUTE_MS } from "@/lib/time";
import { attentionItems } from "./attention";
import { readModelStates } from "./read-model-states";
import { readSlotStates } from "./read-slot-states";

const monthlyDirections = sharedFor("admin-directions", MINUTE_MS, () =>
  countDirections(db("statistics"), 24 * 30),
);

/** Everything that the overview shows, as of `now`. Figures over months are at most a minute old. */
export async function readOverview(now: Date) {
  const [{ assessment: health }, slots, clients, day, month, status, mail, payments, database, jobs] =
    await Promise.all([
      readJudgement(),
      readSlotStates(now),
      countClients(db()),
      countDirections(db(), 24),
      monthlyDirections(),
      readStatusPage(),
      countMailQueue(db()),
      countPayments(db()),
      readDatabaseFacts(db()),
      listJobRuns(db()),
    ]);
  // After the others: judging every model for the first time would take the processor and the connections from them.
  const models = await readModelStates();
  const staleSlots = slots.filter((slot) => slot.active && slot.stale);
  const transport = mailTransport().name;
  const attention = attentionItems({
    now,
    health,
    staleSlots,
    mail: { ...mail, transport },
    payments,
    clients,
    jobs,
    lastProbeAt: database.lastProbeAt,
    errors10min: codeFigures(10, now.getTime()),
    models: { drifting: models.drifting ?? 0 },
    features: { drifted: models.driftedFeatures },
    simulated: env().marketFeed === "demo",
  });
  return {
    health,
    slots,
    staleSlots,
    clients,
    directions: { day, month },
    /** null: the past cannot be read. */
    past: status.past,
    mail: { ...mail, transport },
    payments,
    database,
    jobs,
    attention,
    models,
    errorsHour: codeFigures(60, now.getTime()),
  };
}
