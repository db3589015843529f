import { db } from "@/db/client";
import { type BackupState, readBackupHistory } from "@/db/queries/backup-state";
import { countCredits } from "@/db/queries/credits";
import { readDatabaseStatus } from "@/db/queries/database-status";
import { readIgnoredForwardedFor } from "@/db/queries/ignored-forwarded-for";
import { listLastJobRuns } from "@/db/queries/jobs";
import { isFirstSignalSimulated } from "@/db/queries/ledger";
import { countMailQueue } from "@/db/queries/mail-queue";
import { countOddCandles } from "@/db/queries/odd-candles";
import { listOpenPauses } from "@/db/queries/pauses";
import { readPaymentDeliveryCounts } from "@/db/queries/payment-deliveries";
import { countDirections } from "@/db/queries/signal-history";
import { countClients } from "@/db/queries/subscribers";
import { listSymbolsWithGuessedCalendar } from "@/db/queries/symbols";
import { readSchemaState } from "@/db/schema-guard";
import { describePauseTarget } from "@/lib/access/pauses";
import { type BackupAge, backupAge, backupPlan } from "@/lib/health/backup-age";
import { readFeedHealth } from "@/lib/health/feed-health";
import { readAssessment } from "@/lib/health/read-health";
import { readStatusPage } from "@/lib/health/read-status-page";
import { findUnreadableValues, namesOfValues } from "@/lib/health/unreadable-values";
import { mailTransport } from "@/lib/outbound/mail/mail-transport";
import { env } from "@/lib/runtime/env";
import { serverFigures } from "@/lib/runtime/metrics";
import { attentionItems } from "./attention";
import { readModelProblemCounts } from "./read-model-problem-counts";
import { readRecentDirectionCounts } from "./read-recent-direction-counts";
import { readSlotOverviews } from "./read-slot-overviews";

/** Implausible candles are reported for this many days after they were found. */
const ODD_DAYS = 7;

/**
 * Everything on the overview. Slots, feeds and the backup are assessed at `now`; cached parts are up to five minutes
 * old.
 */
export async function readOverview(now: Date) {
  const [
    { assessment: health },
    slots,
    clients,
    day,
    month,
    status,
    mail,
    payments,
    database,
    jobs,
    backups,
    ignoredHeader,
    guessedSymbols,
    pauses,
    feeds,
    schema,
    oddCandles,
    firstSimulated,
    proposedCredits,
    unreadable,
  ] = await Promise.all([
    readAssessment(),
    readSlotOverviews(now),
    countClients(db()),
    countDirections(db(), 24),
    readRecentDirectionCounts(),
    readStatusPage(),
    countMailQueue(db()),
    readPaymentDeliveryCounts(db()),
    readDatabaseStatus(db()),
    listLastJobRuns(db()),
    readBackupHistory(db()),
    readIgnoredForwardedFor(db()),
    listSymbolsWithGuessedCalendar(db()),
    listOpenPauses(db()),
    readFeedHealth(db(), env().feeds, now),
    readSchemaState(db()),
    countOddCandles(db(), ODD_DAYS),
    isFirstSignalSimulated(db()),
    countCredits(db(), { state: "proposed" }),
    findUnreadableValues(db()),
  ]);
  // Read last: the first check of every model would take processor time and connections from the other reads.
  const models = await readModelProblemCounts();
  const [lately, lastHour] = await Promise.all([
    serverFigures(10, now.getTime()),
    serverFigures(60, now.getTime()),
  ]);
  const plan = backupPlan();
  const backup = backupAge(plan, backups, now);
  const staleSlots = slots.filter((slot) => slot.active && slot.stale);
  const transport = mailTransport().name;
  const attention = attentionItems({
    now,
    health,
    troubled: status.troubled ?? [],
    staleSlots,
    mail: { ...mail, transport },
    payments,
    proposedCredits,
    unreadable: unreadable.length === 0 ? null : namesOfValues(unreadable),
    clients,
    jobs,
    lastProbeAt: database.lastProbeAt,
    errors10min: lately.codes,
    models: { drifting: models.drifting ?? 0 },
    features: { broken: models.brokenFeatures },
    feeds,
    oddCandles,
    guessedSymbols,
    pauses: pauses.map((pause) => ({ ...pause, of: describePauseTarget(pause) })),
    simulated: env().marketFeed === "demo",
    isFirstSignalSimulated: firstSimulated,
    forwardedIgnoredAt: ignoredHeader === null ? null : new Date(ignoredHeader.at),
    backup,
    schema,
    otherReleases: database.otherReleases,
  });
  return {
    backup: backupTile(backup, backups.last, plan?.everyHours ?? 0),
    schema,
    health,
    slots,
    staleSlots,
    clients,
    directions: { day, month: month.all },
    /** null: the history cannot be read. */
    past: status.past,
    mail: { ...mail, transport },
    payments,
    database,
    jobs,
    attention,
    models,
    errorsHour: lastHour.codes,
  };
}

/** The state of backups as a short text. */
function backupTile(age: BackupAge | null, last: BackupState | null, everyHours: number) {
  if (age === null) return { state: "degraded", label: "Off", note: "BACKUP_PASSPHRASE is not set" } as const;
  if (age.hours === null || last === null)
    return {
      state: age.isLate ? "degraded" : "unknown",
      label: "None yet",
      note: age.isLate || everyHours === 0 ? "no backup was taken" : "the first one is being taken",
    } as const;
  const note = `${Math.floor(age.hours)} h old, ${last.proof === "restored" ? "restored as a test" : "read back"}`;
  return age.isLate
    ? ({ state: "degraded", label: "Late", note } as const)
    : ({ state: "ok", label: "Good", note } as const);
}
