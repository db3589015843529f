import type { Api } from "grammy";
import type { Database } from "@/db/client";
import { findLedgerHead } from "@/db/queries/ledger";
import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import { unlinkChat } from "@/db/queries/telegram-chats";
import {
  type LeasedMessage,
  leaseMessage,
  leaseMessageEdit,
  listMessageSignals,
  markMessagesDoubtful,
  pauseBot,
  postponeMessage,
  postponeMessageEdit,
  readBot,
  recordTelegramCallResult,
  replaceChatId,
  settleMessage,
  settleMessageEdit,
} from "@/db/queries/telegram-queue";
import { clockOf } from "@/lib/market/clock";
import { backOffMs } from "@/lib/outbound/back-off";
import {
  type Channel,
  DOUBTFUL_SEND_PAUSE_MS,
  deliverDueItems,
  type SendResult,
  type SettledSend,
} from "@/lib/outbound/channel";
import { isInScope } from "@/lib/outbound/in-scope";
import { isQuietAt } from "@/lib/outbound/quiet-hours";
import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { includesFeature } from "@/lib/runtime/plan-features";
import { cachedSetting } from "@/lib/settings/cached-settings";
import { HOUR_MS, SECOND_MS } from "@/lib/time";
import { botFailureOf } from "./bot-api";
import { formatSignalsMessage } from "./format-message";

/** Shortest pause between two sends. Telegram allows 30 messages per second. */
const GAP_MS = 40;
/** Shortest pause between two sends to the same chat. Telegram allows one message per second. */
const CHAT_GAP_MS = 1_050;
const EDIT_LEASE_SECONDS = 60;
const EDIT_RETRY_MS = 30 * SECOND_MS;
/** Longer than a call takes: a message marked as sending for longer belongs to a process that died. */
const DOUBTFUL_AFTER_SECONDS = 60;
const GIVE_UP_AFTER_MS = 6 * HOUR_MS;

interface TelegramContext {
  api: Api;
  accessOf: ComputeReceiverAccess;
  gapMs?: number;
}

/**
 * Sends due messages one after the other, and edits messages that have new results; returns the number of calls.
 *
 * At most once: a message is marked before it is sent, and repeated only if it certainly was not sent. A process that
 * dies, a lost answer or an error of Telegram's servers leaves one message in doubt, which is marked as such.
 */
export async function deliverDueTelegramMessages(
  database: Database,
  context: TelegramContext,
  signal: AbortSignal,
): Promise<number> {
  const doubtful = await markMessagesDoubtful(database, DOUBTFUL_AFTER_SECONDS);
  if (doubtful > 0) log("warn", "messages to Telegram are in doubt", { count: doubtful });
  return deliverDueItems(telegramChannel(database, context), signal);
}

/** A message to send, or a sent one to edit; editing twice is harmless. */
interface Item extends LeasedMessage {
  isEdit: boolean;
}
interface Written {
  text: string;
  silent: boolean;
}

const telegramChannel = (
  database: Database,
  { api, accessOf, gapMs = GAP_MS }: TelegramContext,
): Channel<Item, Written, number> => ({
  name: "telegram",
  lanes: [1],
  gapMs,
  async lease() {
    if ((await readBot(database)).pausedMs > 0) return [];
    const message = await leaseMessage(database, CHAT_GAP_MS);
    if (message !== null) return [{ ...message, isEdit: false }];
    const edit = await leaseMessageEdit(database, { gapMs: CHAT_GAP_MS, leaseSeconds: EDIT_LEASE_SECONDS });
    return edit === null ? [] : [{ ...edit, isEdit: true }];
  },
  async write(item) {
    const isGone = item.isEdit && (!item.isLinked || item.messageId === null);
    const written = isGone ? { closed: "unlinked" } : await write(database, accessOf, item);
    return "closed" in written ? { result: "dropped", code: written.closed } : { message: written };
  },
  async send(item, written) {
    try {
      if (item.isEdit) {
        await edit(api, item, written);
        return { result: "sent" };
      }
      const report = await send(api, item, written);
      return { result: "sent", report };
    } catch (error) {
      return outcomeOf(database, item, error);
    }
  },
  retryMs({ isEdit, attempts, createdAt }, { retryAfterSeconds, isUncounted }) {
    if (isUncounted && retryAfterSeconds) return retryAfterSeconds * SECOND_MS;
    if (isEdit) return EDIT_RETRY_MS;
    return Date.now() - createdAt.getTime() > GIVE_UP_AFTER_MS ? null : backOffMs(attempts);
  },
  settle: (item, end) =>
    item.isEdit ? settleRewritten(database, item, end) : settleSent(database, item, end),
});

const send = async (api: Api, { chatId, buttons }: Item, { text, silent }: Written): Promise<number> => {
  const sent = await api.sendMessage(chatId, text, {
    disable_notification: silent,
    link_preview_options: { is_disabled: true },
    ...(buttons === null ? {} : { reply_markup: keyboard(buttons) }),
  });
  return sent.message_id;
};

async function edit(api: Api, { chatId, messageId }: Item, { text }: Written): Promise<void> {
  if (messageId === null) return;
  await api.editMessageText(chatId, messageId, text, { link_preview_options: { is_disabled: true } });
}

const keyboard = (buttons: NonNullable<LeasedMessage["buttons"]>) => ({
  inline_keyboard: buttons.map((row) => row.map(({ text, data }) => ({ text, callback_data: data }))),
});

/** The outcome of a failed call for its message. */
async function outcomeOf(database: Database, item: Item, error: unknown): Promise<SendResult<number>> {
  const failure = botFailureOf(error);
  const { code } = failure;
  const { id, attempts, isEdit } = item;
  if (!isEdit)
    log("info", "could not send a message to Telegram", { messageId: id, attempt: attempts, reason: code });
  switch (failure.kind) {
    case "wait":
      await pauseBot(database, failure.delayMs);
      return {
        result: "retry",
        code,
        retryAfterSeconds: failure.delayMs / SECOND_MS,
        isUncounted: true,
      };
    case "retry":
      return { result: "retry", code };
    case "unknown":
      await pauseBot(database, DOUBTFUL_SEND_PAUSE_MS);
      return isEdit ? { result: "retry", code } : { result: "doubtful", code };
    case "moved":
      if (failure.chatId === item.chatId) return { result: "dead", code };
      await replaceChatId(database, { from: item.chatId, to: failure.chatId });
      return { result: "retry", code, retryAfterSeconds: 1, isUncounted: true };
    case "blocked":
      await unlink(database, item);
      return { result: "dropped", code };
    case "same":
      return isEdit ? { result: "sent" } : { result: "dead", code };
    case "refused":
      return { result: "dead", code };
  }
}

async function settleSent(database: Database, { id }: Item, end: SettledSend<number>): Promise<void> {
  switch (end.state) {
    case "sent":
      await settleMessage(database, id, { state: "sent", messageId: end.report ?? 0 });
      return recordTelegramCallResult(database, { code: null });
    case "pending":
      if (!end.isUncounted) await recordTelegramCallResult(database, { code: end.code });
      return postponeMessage(database, id, {
        delayMs: end.delayMs,
        code: end.code,
        counts: !end.isUncounted,
      });
    case "doubtful":
      await recordTelegramCallResult(database, { code: end.code });
      return settleMessage(database, id, end);
    default:
      return settleMessage(database, id, end);
  }
}

const settleRewritten = (
  database: Database,
  { id, editDueAt }: Item,
  end: SettledSend<number>,
): Promise<void> =>
  end.state === "pending"
    ? postponeMessageEdit(database, id, end.delayMs)
    : settleMessageEdit(database, id, editDueAt);

/** The current text of a message, or why it must not be sent any more. */
async function write(
  database: Database,
  accessOf: ComputeReceiverAccess,
  message: LeasedMessage,
): Promise<Written | { closed: string }> {
  const { quietFrom, quietTo } = message;
  const silent = isQuietAt({ quietFrom, quietTo }, message.preferences?.timeZone, new Date());
  const { subscriptionId, grant } = message;
  if (message.kind !== "signals") return { text: message.text ?? "", silent };
  if (!message.isLinked || subscriptionId === null) return { closed: "unlinked" };
  const access = accessOf({ subscriptionId, grant });
  if (access === null) return { closed: "access_ended" };
  if (!includesFeature(access, "telegram")) return { closed: "plan_without_telegram" };
  const signals = (await listMessageSignals(database, message.id)).filter((signal) =>
    isInScope(access.scope, signal),
  );
  if (signals.length === 0) return { closed: "slot_not_in_plan" };
  // A message that was sent before keeps the signals of paused slots, to show their results.
  const shown = message.messageId === null ? signals.filter(({ isPaused }) => !isPaused) : signals;
  if (shown.length === 0) return { closed: "slot_paused" };
  const text = formatSignalsMessage(shown, {
    clock: clockOf(message.preferences ?? {}),
    simulated: env().marketFeed === "demo",
    ledgerHead:
      shown.length > 1 && cachedSetting("public_record").isShown
        ? await findLedgerHead(database, message.createdAt)
        : null,
  });
  return { text, silent };
}

/** Unlinks a chat that blocked the bot, without a message. */
async function unlink(database: Database, { subscriptionId, isLinked }: LeasedMessage): Promise<void> {
  if (subscriptionId === null || !isLinked) return;
  await database.transaction((tx) => unlinkChat(tx, subscriptionId));
}
