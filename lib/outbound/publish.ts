import type { Database } from "@/db/client";
import { readStateVersions } from "@/db/queries/keys";
import {
  addPendingResults,
  deleteUnresolvableResults,
  takeChampionChanges,
  takePendingResults,
} from "@/db/queries/outbound-events";
import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import { readLaggingReceivers } from "@/db/queries/signal-cursors";
import { scheduleMessageEdits } from "@/db/queries/telegram-queue";
import { processWide } from "@/lib/runtime/process-wide";
import { MINUTE_MS } from "@/lib/time";
import {
  queueRecipientIncidents,
  queueRecipientResults,
  queueRecipientSignals,
} from "./channels/queue-events";
import { queueModelMails } from "./mail/model-changes";
import { queueAccessNotices, queueChatSignals, type ReadPrices } from "./telegram/queue-messages";
import {
  queueKeyExpiringEvents,
  queueWebhookChampionChanges,
  queueWebhookResults,
  queueWebhookSignals,
} from "./webhooks/queue-events";

const RESULTS_PER_TURN = 500;
/** Interval of the full check, which runs even if nothing has changed. */
const ANYWAY_MS = MINUTE_MS;

/**
 * Versions of the stored state at this process's last run, and the time of its last full check (`atMs`). While the
 * versions are unchanged, a run skips results and champions, except in a full check.
 */
const looked = () =>
  processWide("outbound-looked", () => ({
    lastSeq: -1,
    models: -1,
    outcomes: -1,
    atMs: Number.NEGATIVE_INFINITY,
  }));

/**
 * Queues messages about signals and results (webhooks, Telegram and channels such as Discord), new champions (webhooks
 * and mails), ended access (Telegram), expiring keys (webhooks) and incidents (channels such as Discord). After a crash
 * the next run continues, and nothing is queued twice: a step stores its progress in the transaction that stores its
 * deliveries, or its deliveries have unique keys.
 */
export async function publishEvents(
  database: Database,
  context: { accessOf: ComputeReceiverAccess; readPrices: ReadPrices },
  now: Date,
  signal?: AbortSignal,
): Promise<void> {
  const { accessOf } = context;
  const state = looked();
  const versions = await readStateVersions(database);
  const anyway = now.getTime() - state.atMs >= ANYWAY_MS;
  // Read even without a new signal, because a resumed endpoint has earlier signals to catch up on.
  const behind = await readLaggingReceivers(database);
  if (behind.endpoints) await queueWebhookSignals(database, accessOf);
  await queueAccessNotices(database, accessOf, now);
  if (behind.chats) await queueChatSignals(database, context);
  if (behind.recipients) await queueRecipientSignals(database, context);
  if (anyway || versions.outcomes !== state.outcomes || versions.lastSeq !== state.lastSeq)
    await publishResults(database, accessOf, signal);
  if (anyway || versions.models !== state.models) {
    await database.transaction(async (tx) => {
      const changes = await takeChampionChanges(tx);
      await queueWebhookChampionChanges(tx, changes, accessOf);
      await queueModelMails(tx, changes, accessOf);
    });
  }
  if (anyway) {
    await queueKeyExpiringEvents(database, now);
    await queueRecipientIncidents(database);
  }
  const { lastSeq, models, outcomes } = versions;
  Object.assign(state, { lastSeq, models, outcomes, ...(anyway ? { atMs: now.getTime() } : {}) });
}

async function publishResults(
  database: Database,
  accessOf: ComputeReceiverAccess,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    const published = await database.transaction(async (tx) => {
      await addPendingResults(tx);
      const results = await takePendingResults(tx, RESULTS_PER_TURN);
      await queueWebhookResults(tx, results, accessOf);
      await queueRecipientResults(tx, results, accessOf);
      await scheduleMessageEdits(
        tx,
        results.map(({ predId }) => predId),
      );
      if (results.length === 0) await deleteUnresolvableResults(tx);
      return results.length;
    });
    if (published < RESULTS_PER_TURN || signal?.aborted) return;
  }
}
