import { setTimeout as pause } from "node:timers/promises";
import type { Api } from "grammy";
import type { Database } from "@/db/client";
import { findHead } from "@/db/queries/ledger";
import type { JudgeAccess } from "@/db/queries/outbound-grants";
import { unlinkChat } from "@/db/queries/telegram-chats";
import {
  type LeasedMessage,
  leaseEdit,
  leaseMessage,
  listMessageSignals,
  markDoubtful,
  noteBot,
  pauseBot,
  postponeEdit,
  postponeMessage,
  readBot,
  settleEdit,
  settleMessage,
} from "@/db/queries/telegram-queue";
import { type Clock, clockOf, wallTime } from "@/lib/market/clock";
import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "@/lib/time";
import { type BotFailure, failureOf } from "./bot-api";
import { isQuiet, writeSignals } from "./write-message";

/** Telegram allows 30 messages a second, and one a second to a chat. */
const GAP_MS = 40;
const CHAT_GAP_MS = 1_050;
const EDIT_LEASE_SECONDS = 60;
/** Longer than a call takes: what is on its way for longer was so when its process died. */
const DOUBTFUL_AFTER_SECONDS = 60;
const GIVE_UP_AFTER_MS = 6 * HOUR_MS;
const LONGEST_RETRY_MS = 5 * MINUTE_MS;

/**
 * Sends what is due, one message after the other, and writes anew what has a result; returns how many calls were made.
 *
 * A message is marked as on its way before it is sent and never sent again after that unless Telegram has said that it
 * was not: a process that dies leaves at most one message in doubt, which is marked so.
 */
export async function deliverDueMessages(
  database: Database,
  { api, judge, gapMs = GAP_MS }: { api: Api; judge: JudgeAccess; gapMs?: number },
  signal: AbortSignal,
): Promise<number> {
  const doubtful = await markDoubtful(database, DOUBTFUL_AFTER_SECONDS);
  if (doubtful > 0) log("warn", "messages to Telegram are in doubt", { count: doubtful });
  let calls = 0;
  let nextCallAt = 0;
  while (!signal.aborted) {
    const { pausedMs } = await readBot(database);
    if (pausedMs > 0) return calls;
    const waitMs = nextCallAt - performance.now();
    if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return calls;
    const message = await leaseMessage(database, CHAT_GAP_MS);
    const edit =
      message === null
        ? await leaseEdit(database, { gapMs: CHAT_GAP_MS, leaseSeconds: EDIT_LEASE_SECONDS })
        : null;
    if (message === null && edit === null) return calls;
    const startedAt = performance.now();
    const called = message
      ? await send(database, api, judge, message)
      : edit && (await rewrite(database, api, judge, edit));
    if (!called) continue;
    calls++;
    nextCallAt = startedAt + gapMs;
  }
  return calls;
}

/** Sends a message. Returns whether Telegram was called. */
async function send(
  database: Database,
  api: Api,
  judge: JudgeAccess,
  message: LeasedMessage,
): Promise<boolean> {
  const written = await write(database, judge, message);
  if ("closed" in written) {
    await settleMessage(database, message.id, { state: "dropped", code: written.closed });
    return false;
  }
  const { buttons } = message;
  try {
    const sent = await api.sendMessage(message.chatId, written.text, {
      disable_notification: written.silent,
      link_preview_options: { is_disabled: true },
      ...(buttons === null ? {} : { reply_markup: keyboard(buttons) }),
    });
    await settleMessage(database, message.id, { state: "sent", messageId: sent.message_id });
    await noteBot(database, { code: null });
  } catch (error) {
    await settleFailure(database, message, failureOf(error));
  }
  return true;
}

const keyboard = (buttons: NonNullable<LeasedMessage["buttons"]>) => ({
  inline_keyboard: buttons.map((row) => row.map(({ text, data }) => ({ text, callback_data: data }))),
});

async function settleFailure(database: Database, message: LeasedMessage, failure: BotFailure): Promise<void> {
  const { id, attempts } = message;
  const { code } = failure;
  log("info", "a message to Telegram did not go out", { messageId: id, attempt: attempts, reason: code });
  switch (failure.kind) {
    case "wait":
      await pauseBot(database, failure.delayMs);
      return postponeMessage(database, id, { delayMs: failure.delayMs, code, counts: false });
    case "retry": {
      await noteBot(database, { code });
      if (Date.now() - message.createdAt.getTime() > GIVE_UP_AFTER_MS)
        return settleMessage(database, id, { state: "dead", code });
      return postponeMessage(database, id, { delayMs: retryMs(attempts), code, counts: true });
    }
    case "unknown":
      await noteBot(database, { code });
      return settleMessage(database, id, { state: "doubtful", code });
    case "blocked":
      await settleMessage(database, id, { state: "dropped", code });
      return unlink(database, message);
    default:
      return settleMessage(database, id, { state: "dead", code });
  }
}

/** Writes a sent message anew. Twice does no harm. Returns whether Telegram was called. */
async function rewrite(
  database: Database,
  api: Api,
  judge: JudgeAccess,
  message: LeasedMessage,
): Promise<boolean> {
  const done = () => settleEdit(database, message.id, message.editDueAt);
  const { messageId } = message;
  const written = message.isLinked ? await write(database, judge, message) : { closed: "unlinked" };
  if ("closed" in written || messageId === null) {
    await done();
    return false;
  }
  try {
    await api.editMessageText(message.chatId, messageId, written.text, {
      link_preview_options: { is_disabled: true },
    });
    await done();
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind === "wait") await pauseBot(database, failure.delayMs);
    if (failure.kind === "wait" || failure.kind === "retry" || failure.kind === "unknown")
      await postponeEdit(database, message.id, failure.kind === "wait" ? failure.delayMs : 30 * SECOND_MS);
    else await done();
    if (failure.kind === "blocked") await unlink(database, message);
  }
  return true;
}

/** The text of a message as of this moment, or why it must not leave any more. */
async function write(
  database: Database,
  judge: JudgeAccess,
  message: LeasedMessage,
): Promise<{ text: string; silent: boolean } | { closed: string }> {
  const silent = isQuietFor(message);
  const { subscriptionId, grant } = message;
  if (message.kind !== "signals") return { text: message.text ?? "", silent };
  if (!message.isLinked || subscriptionId === null) return { closed: "unlinked" };
  const access = judge({ subscriptionId, grant });
  if (access === null) return { closed: "access_ended" };
  const { symbols, timeframes } = access.scope;
  const signals = (await listMessageSignals(database, message.id)).filter(
    ({ symbol, timeframe }) =>
      (symbols?.includes(symbol) ?? true) && (timeframes?.includes(timeframe) ?? true),
  );
  if (signals.length === 0) return { closed: "slot_not_in_plan" };
  // What is out already keeps its signals and is given their results.
  const told = message.messageId === null ? signals.filter(({ isPaused }) => !isPaused) : signals;
  if (told.length === 0) return { closed: "slot_paused" };
  const text = writeSignals(told, {
    clock: clockOf(message.preferences ?? {}),
    simulated: env().marketFeed === "demo",
    ledgerHead: told.length > 1 && env().publicRecord ? await findHead(database, message.createdAt) : null,
  });
  return { text, silent };
}

function isQuietFor({ preferences, quietFrom, quietTo }: LeasedMessage): boolean {
  const zone = preferences?.timeZone;
  const clock: Clock = zone ? { kind: "local", zone, addMinutes: 0 } : clockOf({});
  return isQuiet({ from: quietFrom, to: quietTo }, wallTime(clock, new Date()).getUTCHours());
}

/** A blocked bot unlinks quietly. */
async function unlink(database: Database, { subscriptionId, isLinked }: LeasedMessage): Promise<void> {
  if (subscriptionId === null || !isLinked) return;
  await database.transaction((tx) => unlinkChat(tx, subscriptionId));
}

const retryMs = (attempts: number): number =>
  Math.min(LONGEST_RETRY_MS, SECOND_MS * 2 ** Math.min(attempts, 20)) * (0.75 + Math.random() / 2);
