import type { Api } from "grammy";
import type { Database } from "@/db/client";
import type { JudgeAccess } from "@/db/queries/outbound-grants";
import { moveUpdates, noteBot, readBot } from "@/db/queries/telegram-queue";
import { errorFacts, log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { failureOf } from "./bot-api";
import { handleUpdate } from "./handle-update";

/** Below the deadline of a call. */
const POLL_SECONDS = 10;

const state = () =>
  processWide<{ botInfo: Awaited<ReturnType<Api["getMe"]>> | null }>("telegram-me", () => ({
    botInfo: null,
  }));

/**
 * Asks Telegram for what people sent to the bot, waits some seconds for it, and does it, one after the other. Where the
 * service stands is kept with the answers, so that an update is done once after whatever ends the process.
 */
export async function receiveUpdates(
  database: Database,
  { api, judge, pollSeconds = POLL_SECONDS }: { api: Api; judge: JudgeAccess; pollSeconds?: number },
  signal: AbortSignal,
): Promise<number> {
  const held = state();
  // The client's types name the class of a polyfill; the signals are the same.
  const called = signal as unknown as NonNullable<Parameters<Api["getMe"]>[0]>;
  try {
    if (held.botInfo === null) {
      held.botInfo = await api.getMe(called);
      await noteBot(database, { code: null, userName: held.botInfo.username });
    }
    const { nextUpdateId } = await readBot(database);
    const updates = await api.getUpdates(
      {
        offset: nextUpdateId,
        timeout: pollSeconds,
        allowed_updates: ["message", "callback_query", "my_chat_member"],
      },
      called,
    );
    for (const update of updates) {
      await handleUpdate(database, { api, botInfo: held.botInfo, judge }, update).catch((error: unknown) => {
        // One that cannot be handled must not hold up the others.
        log("error", "an update from Telegram failed", { error: errorFacts(error) });
      });
      await moveUpdates(database, update.update_id + 1);
    }
    return updates.length;
  } catch (error) {
    if (signal.aborted) return 0;
    const { code } = failureOf(error);
    await noteBot(database, { code });
    log("info", "Telegram did not answer", { reason: code });
    return 0;
  }
}
