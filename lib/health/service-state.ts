import { db, type Handle } from "@/db/client";
import { listJobRuns } from "@/db/queries/jobs";
import { readLedgerState } from "@/db/queries/ledger";
import { readMailQueue } from "@/db/queries/mail-queue";
import { readOutboundQueues } from "@/db/queries/outbound-queue";
import { listSlotStates, type SlotState } from "@/db/queries/slots";
import { quotaStoreState } from "@/lib/access/limits/shared/take-quota";
import { env } from "@/lib/runtime/env";
import { assessComponents, type Component } from "./assess-components";
import { type Assessment, assessSlots } from "./assess-health";
import { readHealthThresholds } from "./read-thresholds";

export interface ServiceState {
  assessment: Assessment;
  states: SlotState[];
  components: Component[];
  /** End of the worker's last probe; null when it never ran. */
  lastProbeAt: Date | null;
}

/**
 * Reads everything by which the service judges itself. Throws when the database does not answer.
 * The worker, which asks while it runs, passes `lastProbeAt` itself.
 */
export async function readServiceState(
  now: Date,
  handle: Handle = db("reads"),
  lastProbeAt?: Date,
): Promise<ServiceState> {
  const startedAt = performance.now();
  const [states, thresholds, jobs, mail, ledger, outbound] = await Promise.all([
    listSlotStates(handle),
    readHealthThresholds(handle),
    listJobRuns(handle),
    readMailQueue(handle),
    readLedgerState(handle),
    readOutboundQueues(handle),
  ]);
  const databaseLatencyMs = performance.now() - startedAt;
  const assessment = assessSlots(states, now, thresholds, ledger.refusal);
  const probedAt = lastProbeAt ?? jobs.find((job) => job.job === "probe")?.lastFinishedAt ?? null;
  const components = assessComponents(
    {
      assessment,
      states,
      databaseLatencyMs,
      lastProbeAt: probedAt,
      mail,
      outbound,
      hasTelegram: env().telegramBotToken !== null,
      quotaStore: quotaStoreState(),
    },
    now,
    thresholds,
  );
  return { assessment, states, components, lastProbeAt: probedAt };
}
