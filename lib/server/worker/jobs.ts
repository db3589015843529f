import { workerDb } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { finishDeletions } from "@/lib/access/account/delete-account";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { continueBulkExtensions } from "@/lib/access/keys/extend-access-in-bulk";
import { grantDueDowntimeCredits } from "@/lib/access/keys/grant-credits";
import { listPaidUntil } from "@/lib/access/keys/paid-time-of-keys";
import { proposeDowntimeCredits } from "@/lib/health/credit/propose-credits";
import { readAlertFacts } from "@/lib/health/read-alert-facts";
import { recordProbe } from "@/lib/health/record-probe";
import { advanceDemoMarket } from "@/lib/models/demo/advance-demo-market";
import { advanceDemoClients } from "@/lib/models/demo/demo-clients";
import { recordBaselineFigures } from "@/lib/models/producer/record-baseline-figures";
import { recordFeatureDrift } from "@/lib/models/record-feature-drift";
import { deliverAlertPosts } from "@/lib/outbound/alerts/deliver-posts";
import { postAuditEntries } from "@/lib/outbound/alerts/post-audit";
import { sendAlerts } from "@/lib/outbound/alerts/send-alerts";
import { ADDRESS_CHANNELS } from "@/lib/outbound/channels";
import { deliverToRecipients } from "@/lib/outbound/channels/address-channel";
import { deliverDueMail } from "@/lib/outbound/mail/deliver-mail";
import { queueEaOfflineMails } from "@/lib/outbound/mail/ea-offline";
import { queueExpiryReminders } from "@/lib/outbound/mail/expiry-reminders";
import { wipeOldSecrets } from "@/lib/outbound/mail/outbox";
import { queuePlanEndingMails } from "@/lib/outbound/mail/plan-ending";
import { publishEvents } from "@/lib/outbound/publish";
import { botApi } from "@/lib/outbound/telegram/bot-api";
import { deliverDueTelegramMessages } from "@/lib/outbound/telegram/deliver-messages";
import { receiveTelegramUpdates } from "@/lib/outbound/telegram/receive-updates";
import { deliverDueWebhooks } from "@/lib/outbound/webhooks/deliver-webhooks";
import { env } from "@/lib/runtime/env";
import { reencryptStored } from "@/lib/server/upkeep/reencrypt-stored";
import { removeOldRecords } from "@/lib/server/upkeep/retention";
import { takeDueBackup } from "@/lib/server/upkeep/scheduled-backup";
import { runFeeds } from "@/lib/signals/feeds/run-feeds";
import { enterIntoLedger } from "@/lib/signals/ledger/enter-into-ledger";
import { publishCheckpoint } from "@/lib/signals/ledger/publish-checkpoint";
import { resolveDueOutcomes } from "@/lib/signals/outcomes/resolve-due-outcomes";
import { endDuePauses } from "@/lib/signals/pause-signals";
import { writeSumsOfDirtyDays } from "@/lib/signals/quality/write-sums-of-dirty-days";
import { countMissingCandles } from "@/lib/signals/record/count-missing-candles";
import { signalPrices } from "@/lib/signals/signal-prices";
import { HOUR_MS, MINUTE_MS } from "@/lib/time";
import { produceSignalsInThread } from "./produce-signals-in-thread";
import { trainDueSlot } from "./train-due-slot";

export interface JobContext {
  /** Aborted when the worker stops: long runs end at the next safe point. */
  signal: AbortSignal;
}

export interface WorkerJob {
  /** Also the payload of `NOTIFY worker` that starts the job at once. */
  name: string;
  /** Pause between two runs. */
  everyMs: number;
  /**
   * Whether successful runs are not recorded, because the job runs often. Failures are recorded, and the first success
   * after one.
   */
  quiet?: boolean;
  run(turn: JobContext): Promise<void>;
}

/** The jobs of the worker. Each job may run twice and may be killed at any point. */
export const WORKER_JOBS: readonly WorkerJob[] = [
  {
    name: "demo-market",
    everyMs: 5_000,
    quiet: true,
    run: async ({ signal }) => {
      if (env().marketFeed === "demo")
        await advanceDemoMarket(workerDb(), await readClock(workerDb()), signal);
    },
  },
  {
    name: "demo-clients",
    everyMs: 30_000,
    quiet: true,
    run: async ({ signal }) => {
      if (env().marketFeed === "demo")
        await advanceDemoClients(workerDb(), await readClock(workerDb()), signal);
    },
  },
  {
    // One run lasts as long as this worker is the leader.
    name: "feeds",
    everyMs: 5_000,
    quiet: true,
    run: ({ signal }) => runFeeds(workerDb(), signal),
  },
  {
    name: "signals",
    everyMs: 1_000,
    quiet: true,
    run: ({ signal }) => produceSignalsInThread(signal),
  },
  {
    name: "training",
    everyMs: MINUTE_MS,
    quiet: true,
    run: ({ signal }) => trainDueSlot(signal),
  },
  {
    name: "outcomes",
    everyMs: 2_000,
    quiet: true,
    run: ({ signal }) => resolveDueOutcomes(workerDb(), signal),
  },
  {
    name: "sums",
    everyMs: MINUTE_MS,
    quiet: true,
    run: async ({ signal }) => {
      await writeSumsOfDirtyDays(workerDb(), signal);
    },
  },
  {
    name: "settle",
    everyMs: 2_000,
    quiet: true,
    run: async ({ signal }) => {
      // The callback signs a checkpoint while a long backlog is still being entered.
      await enterIntoLedger(workerDb(), signal, () => publishCheckpoint(workerDb()));
    },
  },
  {
    name: "coverage",
    everyMs: HOUR_MS,
    run: async () => countMissingCandles(workerDb(), await readClock(workerDb())),
  },
  {
    name: "baseline",
    everyMs: MINUTE_MS,
    quiet: true,
    run: async ({ signal }) => {
      await recordBaselineFigures(workerDb(), await readClock(workerDb()), signal);
    },
  },
  { name: "features", everyMs: 5 * MINUTE_MS, run: () => recordFeatureDrift(workerDb()) },
  {
    name: "mail",
    everyMs: 1_000,
    quiet: true,
    run: async ({ signal }) => {
      await deliverDueMail(workerDb(), signal);
    },
  },
  {
    name: "publish",
    everyMs: 500,
    quiet: true,
    run: async ({ signal }) =>
      publishEvents(
        workerDb(),
        { accessOf: computeReceiverAccess, readPrices: signalPrices },
        await readClock(workerDb()),
        signal,
      ),
  },
  { name: "pauses", everyMs: 1_000, quiet: true, run: () => endDuePauses(workerDb()) },
  {
    name: "webhooks",
    everyMs: 1_000,
    quiet: true,
    run: async ({ signal }) => {
      await deliverDueWebhooks(workerDb(), { accessOf: computeReceiverAccess }, signal);
    },
  },
  {
    name: "credits",
    everyMs: HOUR_MS,
    quiet: true,
    run: async ({ signal }) => {
      const now = await readClock(workerDb());
      await proposeDowntimeCredits(workerDb(), now);
      await grantDueDowntimeCredits(workerDb(), now, signal);
    },
  },
  {
    name: "extensions",
    everyMs: 1_000,
    quiet: true,
    run: ({ signal }) => continueBulkExtensions(workerDb(), signal),
  },
  {
    name: "telegram",
    everyMs: 1_000,
    quiet: true,
    run: async ({ signal }) => {
      const api = botApi();
      if (api !== null)
        await deliverDueTelegramMessages(workerDb(), { api, accessOf: computeReceiverAccess }, signal);
    },
  },
  {
    name: "channels",
    everyMs: 1_000,
    quiet: true,
    run: async ({ signal }) => {
      const channels = Object.values(ADDRESS_CHANNELS);
      await Promise.all(
        channels.map((channel) => deliverToRecipients(workerDb(), channel, computeReceiverAccess, signal)),
      );
    },
  },
  {
    name: "telegram-updates",
    everyMs: 1_000,
    quiet: true,
    run: async ({ signal }) => {
      const api = botApi();
      if (api !== null)
        await receiveTelegramUpdates(workerDb(), { api, accessOf: computeReceiverAccess }, signal);
    },
  },
  {
    name: "alerts",
    everyMs: 20_000,
    quiet: true,
    run: async ({ signal }) => {
      const now = await readClock(workerDb());
      await sendAlerts(workerDb(), await readAlertFacts(workerDb(), now));
      await deliverAlertPosts(workerDb(), signal);
    },
  },
  { name: "audit", everyMs: 1_000, quiet: true, run: ({ signal }) => postAuditEntries(workerDb(), signal) },
  { name: "accounts", everyMs: MINUTE_MS, quiet: true, run: () => finishDeletions(workerDb()) },
  {
    name: "reminders",
    everyMs: MINUTE_MS,
    run: async () => {
      const now = await readClock(workerDb());
      await queueExpiryReminders(workerDb(), now, listPaidUntil);
      await queuePlanEndingMails(workerDb(), now, listPaidUntil);
      await queueEaOfflineMails(workerDb(), now);
      await wipeOldSecrets(workerDb(), now);
    },
  },
  {
    name: "retention",
    everyMs: HOUR_MS,
    run: async ({ signal }) => removeOldRecords(workerDb(), await readClock(workerDb()), signal),
  },
  {
    name: "reseal",
    everyMs: HOUR_MS,
    run: async ({ signal }) => reencryptStored(workerDb(), await readClock(workerDb()), signal),
  },
  {
    name: "backup",
    everyMs: 5 * MINUTE_MS,
    run: async () => takeDueBackup(workerDb(), await readClock(workerDb())),
  },
  { name: "probe", everyMs: 10_000, run: async () => recordProbe(workerDb(), await readClock(workerDb())) },
];
