import type { Database, DatabaseHandle, Transaction } from "@/db/client";
import type { PublishedSignal } from "@/db/queries/outbound-events";
import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import {
  advanceChatCursors,
  type ChatToNotify,
  insertMessages,
  listChatsWithChangedAccess,
  lockLaggingChats,
  type NewMessage,
  type NewMessageSignal,
  setChatAccessEnded,
} from "@/db/queries/telegram-queue";
import { isInScope } from "@/lib/outbound/in-scope";
import { queueSignalsPastCursors } from "@/lib/outbound/queue-signals";
import { includesFeature } from "@/lib/runtime/plan-features";

/** Number of signals up to which each gets its own message; more become a digest. */
const BURST = 3;
/** Lines that fit into one message of Telegram. */
const DIGEST_LINES = 25;
/** Maximum number of signals read per transaction, for all chats together. */
const SIGNALS_PER_TURN = 500;
const OLDEST_HOURS = 6;
const CHATS_PER_TURN = 500;

/** Reads the prices of signals. The result is keyed by `predId`. */
export type ReadPrices = (
  handle: DatabaseHandle,
  signals: readonly PublishedSignal[],
) => Promise<ReadonlyMap<number, { entryPrice: number; targetPrice: number | null; stopPrice: number }>>;

/** Queues signals for the chats that want them, each signal once per subscriber. Returns the number of new messages. */
export const queueChatSignals = (
  database: Database,
  { accessOf, readPrices }: { accessOf: ComputeReceiverAccess; readPrices: ReadPrices },
): Promise<number> =>
  queueSignalsPastCursors<ChatToNotify>(database, {
    receiversPerTurn: CHATS_PER_TURN,
    signalsPerTurn: SIGNALS_PER_TURN,
    oldestHours: OLDEST_HOURS,
    lockBehind: lockLaggingChats,
    queue: (tx, chats, signals) => queueForChats(tx, chats, signals, accessOf, readPrices),
    advance: (tx, chats, to) =>
      advanceChatCursors(
        tx,
        chats.map(({ subscriptionId }) => subscriptionId),
        to,
      ),
  });

async function queueForChats(
  tx: Transaction,
  chats: readonly ChatToNotify[],
  signals: readonly PublishedSignal[],
  accessOf: ComputeReceiverAccess,
  readPrices: ReadPrices,
): Promise<number> {
  const wanted = chats.map((chat) => ({ chat, signals: wantedBy(chat, signals, accessOf) }));
  if (wanted.every(({ signals }) => signals.length === 0)) return 0;
  const prices = await readPrices(tx, signals);
  const messages: NewMessage[] = [];
  const messageSignals: NewMessageSignal[] = [];
  for (const { chat, signals } of wanted) {
    for (const together of piecesOf(signals)) {
      const dedupeKey = `signals/${chat.subscriptionId}/${together.map(({ seq }) => seq).join("-")}`.slice(
        0,
        200,
      );
      const { subscriptionId, chatId } = chat;
      messages.push({ dedupeKey, subscriptionId, chatId, kind: "signals", text: null });
      for (const { predId } of together) {
        const { entryPrice = null, targetPrice = null, stopPrice = null } = prices.get(predId) ?? {};
        messageSignals.push({
          dedupeKey,
          subscriptionId,
          signalId: predId,
          entryPrice,
          targetPrice,
          stopPrice,
        });
      }
    }
  }
  await insertMessages(tx, messages, messageSignals);
  return messages.length;
}

function wantedBy(
  chat: ChatToNotify,
  signals: readonly PublishedSignal[],
  accessOf: ComputeReceiverAccess,
): PublishedSignal[] {
  const access = accessOf(chat);
  if (access === null || !includesFeature(access, "telegram")) return [];
  return signals.filter(
    (signal) =>
      signal.seq > chat.signalsUpTo &&
      !chat.mutedSlots.includes(signal.slotId) &&
      (chat.withNoTrade || signal.signal !== "NO_TRADE") &&
      isInScope(access.scope, signal),
  );
}

/** Splits signals: one message each for few, digests for many. */
function piecesOf(signals: readonly PublishedSignal[]): PublishedSignal[][] {
  if (signals.length <= BURST) return signals.map((signal) => [signal]);
  const pieces: PublishedSignal[][] = [];
  for (let i = 0; i < signals.length; i += DIGEST_LINES) pieces.push(signals.slice(i, i + DIGEST_LINES));
  return pieces;
}

const ENDED = "Your access has ended. No more signals are sent to this chat.";
const BACK = "Your access works again. Signals follow from now on.";

/** Queues one message for a linked chat when its subscription's access ends, and one when the access works again. */
export async function queueAccessNotices(
  database: Database,
  accessOf: ComputeReceiverAccess,
  now: Date,
): Promise<void> {
  const changed = (await listChatsWithChangedAccess(database)).filter(
    (chat) => (accessOf(chat) === null) !== chat.hasEnded,
  );
  if (changed.length === 0) return;
  await database.transaction(async (tx) => {
    for (const ended of [true, false]) {
      const chats = changed.filter(({ hasEnded }) => hasEnded !== ended);
      const done = await setChatAccessEnded(
        tx,
        chats.map(({ subscriptionId }) => subscriptionId),
        ended,
      );
      const notices = chats.filter(({ subscriptionId }) => done.includes(subscriptionId));
      await insertMessages(
        tx,
        notices.map(({ subscriptionId, chatId }) => ({
          dedupeKey: `${ended ? "access-ended" : "access-back"}/${subscriptionId}/${now.getTime()}`,
          subscriptionId,
          chatId,
          kind: "notice",
          text: ended ? ENDED : BACK,
        })),
      );
    }
  });
}
