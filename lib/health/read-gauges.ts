import { db } from "@/db/client";
import { readAuditQueueState } from "@/db/queries/audit";
import { readBackupHistory, readRestoreDrillState } from "@/db/queries/backup-state";
import { readChannelDeliveryCounts } from "@/db/queries/channel-queue";
import { readLedgerProgress } from "@/db/queries/ledger";
import { countMailQueue } from "@/db/queries/mail-queue";
import { readTelegramCounts } from "@/db/queries/telegram-queue";
import { readWebhookCounts } from "@/db/queries/webhook-queue";
import { type ReplicaState, readReplicaState } from "@/db/replica";
import { localLimiterSize } from "@/lib/access/limits/shared/take-quota";
import { readServiceState, type ServiceState } from "@/lib/health/service-state";
import { bestEffort } from "@/lib/runtime/best-effort";
import { env } from "@/lib/runtime/env";
import { memo } from "@/lib/runtime/memo";
import type { GaugeReading } from "@/lib/runtime/prometheus";
import { minutesBetween, SECOND_MS } from "@/lib/time";
import { HEALTH_STATES } from "@/lib/vocabulary";
import { type BackupAge, backupAge, backupPlan } from "./backup-age";
import { type FeedHealth, readFeedHealth } from "./feed-health";

const SHARED_FOR_MS = 5 * SECOND_MS;

/**
 * Prometheus gauges of the service. If reading the database fails, `sds_database_up` is 0 and the gauges from it are
 * left out. Otherwise these gauges are at most five seconds old.
 */
export async function readGauges(): Promise<GaugeReading[]> {
  const [stored, remembered] = await Promise.all([bestEffort(readStored(), null), localLimiterSize()]);
  return [
    gauge("database_up", "Whether the database answered, 1 or 0.", stored === null ? 0 : 1),
    gauge("limiter_identifiers", "Callers that the limiter in memory remembers.", remembered),
    ...(stored ?? []),
  ];
}

const readStored = memo("gauges", { ttlMs: SHARED_FOR_MS }, async (): Promise<GaugeReading[]> => {
  const now = new Date();
  const [state, mail, audit, backups, lastDrill, ledger, webhooks, telegram, channels, replica, feeds] =
    await Promise.all([
      readServiceState(now),
      countMailQueue(db()),
      readAuditQueueState(db()),
      readBackupHistory(db()),
      readRestoreDrillState(db()),
      readLedgerProgress(db()),
      readWebhookCounts(db()),
      readTelegramCounts(db()),
      readChannelDeliveryCounts(db()),
      readReplicaState(),
      readFeedHealth(db(), env().feeds, now),
    ]);
  const ageSeconds = (at: Date | null) => (at === null ? 0 : 60 * minutesBetween(at, now));
  return [
    ...ofHealth(state),
    gauge("mail_pending", "Mails that wait to be sent.", mail.pending),
    gauge("mail_dead", "Mails that were given up.", mail.dead),
    gauge(
      "mail_oldest_pending_seconds",
      "Age of the oldest waiting mail, in seconds.",
      ageSeconds(mail.oldestPendingAt),
    ),
    ...ofAudit(audit, ageSeconds(audit.oldestPendingAt)),
    gauge("webhooks_pending", "Deliveries to subscribers' servers that wait.", webhooks.pending),
    gauge("webhooks_dead", "Deliveries to subscribers' servers that were given up.", webhooks.dead),
    gauge(
      "webhooks_oldest_pending_seconds",
      "Age of the oldest waiting delivery, in seconds.",
      ageSeconds(webhooks.oldestPendingAt),
    ),
    gauge("webhook_endpoints", "Endpoints of subscribers.", webhooks.endpoints),
    gauge("webhook_endpoints_paused", "Endpoints that are paused.", webhooks.paused),
    gauge("telegram_pending", "Messages to Telegram that wait.", telegram.pending),
    gauge("telegram_dead", "Messages to Telegram that were given up.", telegram.dead),
    gauge("telegram_doubtful", "Messages to Telegram whose delivery is unknown.", telegram.doubtful),
    gauge(
      "telegram_oldest_pending_seconds",
      "Age of the oldest waiting message to Telegram, in seconds.",
      ageSeconds(telegram.oldestPendingAt),
    ),
    gauge("telegram_chats", "Chats that are linked.", telegram.chats),
    gauge("channels_pending", "Events for other channels, such as Discord, that wait.", channels.pending),
    gauge("channels_dead", "Events for other channels that were given up.", channels.dead),
    gauge("channels_recipients", "Recipients in other channels.", channels.recipients),
    ...ofReplica(replica),
    ...ofFeeds(feeds),
    ...ofBackups(backupAge(backupPlan(), backups, now)),
    ...timeGauge(
      "restore_drill_timestamp_seconds",
      "When a backup was last restored on trial by command.",
      lastDrill === null ? null : new Date(lastDrill.at),
    ),
    gauge("ledger_entries", "Entries of the ledger.", ledger.size),
    gauge(
      "ledger_unsigned_entries",
      "Entries that no checkpoint covers yet.",
      ledger.size - (ledger.signedSize ?? 0),
    ),
    gauge(
      "ledger_refuses",
      "Whether no checkpoint is signed, as after an older backup, 1 or 0.",
      ledger.refusal === null ? 0 : 1,
    ),
    ...timeGauge(
      "ledger_settled_timestamp_seconds",
      "When something was last entered into the ledger.",
      ledger.settledAt,
    ),
    ...timeGauge(
      "ledger_checkpoint_timestamp_seconds",
      "When the newest checkpoint was signed.",
      ledger.signedAt,
    ),
  ];
});

function ofHealth({ assessment, components, states }: ServiceState): GaugeReading[] {
  const level = (state: (typeof HEALTH_STATES)[number]) => HEALTH_STATES.indexOf(state);
  return [
    gauge("health", "State of the service: 0 ok, 1 degraded, 2 down.", level(assessment.status)),
    gauge("active_slots", "Slots with an active model.", assessment.totalActiveSlots),
    gauge("stale_slots", "Active slots without a fresh signal.", assessment.stalePredCount),
    {
      name: "component_health",
      help: "State of each part of the service: 0 ok, 1 degraded, 2 down.",
      values: components.map(({ name, status }) => ({ labels: { component: name }, value: level(status) })),
    },
    {
      name: "newest_signal_timestamp_seconds",
      help: "Open time of the candle of each slot's newest signal, in seconds since 1970.",
      values: states.flatMap(({ symbol, timeframe, lastSignalTs }) =>
        lastSignalTs === null
          ? []
          : [{ labels: { symbol, timeframe }, value: lastSignalTs.getTime() / SECOND_MS }],
      ),
    },
  ];
}

function ofAudit({ pending }: { pending: number }, oldestSeconds: number): GaugeReading[] {
  if (env().auditWebhook === null) return [];
  return [
    gauge("audit_stream_pending", "Entries of the audit log that wait for AUDIT_WEBHOOK_URL.", pending),
    gauge(
      "audit_stream_oldest_pending_seconds",
      "Age of the oldest waiting entry of the audit log, in seconds.",
      oldestSeconds,
    ),
  ];
}

function ofFeeds(feeds: readonly FeedHealth[]): GaugeReading[] {
  if (feeds.length === 0) return [];
  return [
    {
      name: "feed_up",
      help: "Whether a feed of candles works, 1 or 0.",
      values: feeds.map(({ name, trouble }) => ({
        labels: { feed: name },
        value: Number(trouble === null),
      })),
    },
    {
      name: "feed_ok_timestamp_seconds",
      help: "When a feed's source last answered as it should, in seconds since 1970.",
      values: feeds.flatMap(({ name, lastOkAt }) =>
        lastOkAt === null ? [] : [{ labels: { feed: name }, value: lastOkAt.getTime() / SECOND_MS }],
      ),
    },
  ];
}

function ofReplica(state: ReplicaState | null): GaugeReading[] {
  if (state === null) return [];
  const { behindBytes, behindSeconds } = state;
  return [
    gauge(
      "replica_up",
      "Whether the replica follows the database, 1 or 0.",
      Number(state.state === "follows"),
    ),
    ...(behindBytes === null
      ? []
      : [
          gauge(
            "replica_behind_bytes",
            "Journal that the replica has not replayed yet, in bytes.",
            behindBytes,
          ),
        ]),
    ...(behindSeconds === null
      ? []
      : [
          gauge(
            "replica_behind_seconds",
            "Age of the newest transaction of a replica that is behind; 0 when it is not.",
            behindSeconds,
          ),
        ]),
    {
      name: "replica_readings",
      help: "Readings since the start: at the replica, or at the database because it was behind or failed.",
      values: [
        { labels: { where: "replica" }, value: state.reads },
        { labels: { where: "database_behind" }, value: state.behind },
        { labels: { where: "database_failed" }, value: state.failed },
      ],
    },
  ];
}

function ofBackups(age: BackupAge | null): GaugeReading[] {
  if (age === null) return [];
  const late = gauge(
    "backup_late",
    "Whether the newest good backup is older than it may be, 1 or 0.",
    Number(age.isLate),
  );
  if (age.hours === null) return [late];
  return [late, gauge("backup_age_seconds", "Age of the newest good backup, in seconds.", 3_600 * age.hours)];
}

const gauge = (name: string, help: string, value: number): GaugeReading => ({
  name,
  help,
  values: [{ value }],
});

/** An instant in seconds since 1970; left out if null. */
const timeGauge = (name: string, help: string, at: Date | null): GaugeReading[] =>
  at === null ? [] : [gauge(name, help, at.getTime() / SECOND_MS)];
