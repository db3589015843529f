import { type Database, db } from "@/db/client";
import { notificationListener } from "@/db/notifications";
import { listLastJobRuns } from "@/db/queries/jobs";
import { readLedgerState } from "@/db/queries/ledger";
import { readMailQueueState } from "@/db/queries/mail-queue";
import { readOutboundQueueState } from "@/db/queries/outbound-queue";
import { listSlotStates, type SlotState } from "@/db/queries/slots";
import { quotaStoreState } from "@/lib/access/limits/shared/take-quota";
import { assessSlots, type SlotsAssessment } from "@/lib/market/assess-slots";
import { serviceSecret } from "@/lib/runtime/service-secrets";
import { settingInForce } from "@/lib/settings/registry";
import { type AssessedComponent, assessComponents } from "./assess-components";

/**
 * How long, in ms, to wait for a test notification. After a second it is useless for open requests, because the hub
 * reads the signals every second anyway. The worker's probe waits longer, because its process is busy with other jobs
 * and its result is recorded.
 */
const HEARD_WITHIN_MS = { asked: 1_000, probe: 3_000 } as const;

export interface ServiceState {
  assessment: SlotsAssessment;
  states: SlotState[];
  components: AssessedComponent[];
  /** End of the last run of the worker's probe job; null: none has ended. */
  lastProbeAt: Date | null;
}

/**
 * Reads the facts of the service's assessment. Throws if the database does not answer. The worker passes
 * `lastProbeAt`, because it calls this during a probe, which is not stored yet.
 */
export async function readServiceState(
  now: Date,
  handle: Database = db(),
  lastProbeAt?: Date,
): Promise<ServiceState> {
  const startedAt = performance.now();
  const [states, thresholds, jobs, mail, ledger, outbound] = await Promise.all([
    listSlotStates(handle),
    settingInForce(handle, "health"),
    listLastJobRuns(handle),
    readMailQueueState(handle),
    readLedgerState(handle),
    readOutboundQueueState(handle),
  ]);
  const databaseLatencyMs = performance.now() - startedAt;
  const announcedMs = await notificationListener().measure(
    handle,
    HEARD_WITHIN_MS[lastProbeAt === undefined ? "asked" : "probe"],
  );
  const assessment = assessSlots(states, now, thresholds, ledger.refusal);
  const probedAt = lastProbeAt ?? jobs.find((job) => job.job === "probe")?.lastFinishedAt ?? null;
  const components = assessComponents(
    {
      assessment,
      states,
      databaseLatencyMs,
      announcedMs,
      lastProbeAt: probedAt,
      mail,
      outbound,
      hasTelegram: serviceSecret("TELEGRAM_BOT_TOKEN") !== null,
      quotaStore: await quotaStoreState(),
    },
    now,
    thresholds,
  );
  return { assessment, states, components, lastProbeAt: probedAt };
}
