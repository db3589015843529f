import type { Database, Transaction } from "@/db/client";
import {
  type EventRecipient,
  insertChannelDeliveries,
  listEventRecipients,
  listPendingIncidentNotifications,
  lockLaggingRecipients,
  type NewChannelDelivery,
} from "@/db/queries/channel-queue";
import type { PublishedResult, PublishedSignal } from "@/db/queries/outbound-events";
import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import { advanceCursors } from "@/db/queries/signal-cursors";
import { signalValidUntil } from "@/lib/market/freshness";
import { queueSignalsPastCursors } from "@/lib/outbound/queue-signals";
import type { ReadPrices } from "@/lib/outbound/telegram/queue-messages";
import { accessCoversChannelEvent, MAX_EVENT_AGE_HOURS } from "./address-channel";
import type { ChannelEvent } from "./events";

const SIGNALS_PER_TURN = 500;
const RECIPIENTS_PER_TURN = 500;

/**
 * Queues signals for the recipients that want them, each signal once per recipient. Returns the number of new
 * deliveries.
 */
export const queueRecipientSignals = (
  database: Database,
  { accessOf, readPrices }: { accessOf: ComputeReceiverAccess; readPrices: ReadPrices },
): Promise<number> =>
  queueSignalsPastCursors<EventRecipient>(database, {
    receiversPerTurn: RECIPIENTS_PER_TURN,
    signalsPerTurn: SIGNALS_PER_TURN,
    oldestHours: MAX_EVENT_AGE_HOURS,
    lockBehind: lockLaggingRecipients,
    queue: (tx, recipients, signals) => queueForRecipients(tx, recipients, signals, accessOf, readPrices),
    advance: (tx, recipients, to) =>
      advanceCursors(
        tx,
        "channel_recipients",
        recipients.map(({ recipientId }) => recipientId),
        to,
      ),
  });

async function queueForRecipients(
  tx: Transaction,
  recipients: readonly EventRecipient[],
  signals: readonly PublishedSignal[],
  accessOf: ComputeReceiverAccess,
  readPrices: ReadPrices,
): Promise<number> {
  const wanted = recipients.map((recipient) => ({
    recipient,
    signals: wantedBy(recipient, signals, accessOf),
  }));
  if (wanted.every(({ signals }) => signals.length === 0)) return 0;
  const prices = await readPrices(tx, signals);
  const contents = new Map(
    signals.map((signal) => [signal.seq, signalContent(signal, prices.get(signal.predId))]),
  );
  return insertChannelDeliveries(
    tx,
    wanted.flatMap(({ recipient, signals }) =>
      signals.map((signal) =>
        deliveryOf(
          recipient,
          "signal.created",
          String(signal.seq),
          signal.slotId,
          contents.get(signal.seq) ?? signalContent(signal),
        ),
      ),
    ),
  );
}

function wantedBy(
  recipient: EventRecipient,
  signals: readonly PublishedSignal[],
  accessOf: ComputeReceiverAccess,
): PublishedSignal[] {
  const access = accessOf(recipient);
  return signals.filter(
    (signal) =>
      signal.seq > recipient.signalsUpTo &&
      recipient.events.includes(signal.signal === "NO_TRADE" ? "signal.no_trade" : "signal.created") &&
      accessCoversChannelEvent(access, signal),
  );
}

const signalContent = (
  signal: PublishedSignal,
  prices?: { targetPrice: number | null; stopPrice: number },
): ChannelEvent => ({
  type: "signal",
  symbol: signal.symbol,
  timeframe: signal.timeframe,
  signal: signal.signal,
  confidence: signal.confidence,
  validUntilMs: signalValidUntil(signal, signal.ts).getTime(),
  digits: signal.digits,
  targetPrice: prices?.targetPrice ?? null,
  stopPrice: prices?.stopPrice ?? null,
});

/** Queues results for the recipients that want them, in the transaction that removes them from the pending results. */
export async function queueRecipientResults(
  tx: Transaction,
  results: readonly PublishedResult[],
  accessOf: ComputeReceiverAccess,
): Promise<void> {
  if (results.length === 0) return;
  const recipients = await listEventRecipients(tx, "signal.resolved");
  const rows = recipients.flatMap((recipient) => {
    const access = accessOf(recipient);
    const hasNoTrade = recipient.events.includes("signal.no_trade");
    return results
      .filter(
        (result) => (hasNoTrade || result.signal !== "NO_TRADE") && accessCoversChannelEvent(access, result),
      )
      .map((result) =>
        deliveryOf(recipient, "signal.resolved", String(result.seq), result.slotId, {
          type: "result",
          symbol: result.symbol,
          timeframe: result.timeframe,
          signal: result.signal,
          tsMs: result.ts.getTime(),
          label: result.label,
          resultR: result.resultR,
          exitReason: result.exitReason,
        }),
      );
  });
  await insertChannelDeliveries(tx, rows);
}

/**
 * Queues a message when an incident opens, and one when it closes if the first was queued, for the recipients that want
 * incidents. Includes incidents by administrators.
 */
export async function queueRecipientIncidents(database: Database): Promise<void> {
  const pending = await listPendingIncidentNotifications(database, MAX_EVENT_AGE_HOURS);
  const rows = pending.map(({ recipientId, subject, isOver, component, severity, message, atMs }) =>
    deliveryOf({ recipientId }, "incident", `${subject}/${isOver ? "closed" : "opened"}`, null, {
      type: "incident",
      component,
      severity,
      isOver,
      atMs,
      ...(message === null ? {} : { message }),
    }),
  );
  await insertChannelDeliveries(database, rows);
}

export const deliveryOf = (
  { recipientId }: { recipientId: number },
  event: string,
  subject: string,
  slotId: number | null,
  content: ChannelEvent,
): NewChannelDelivery => ({ recipientId, event, subject, slotId, content });
