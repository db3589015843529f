import { randomBytes } from "node:crypto";
import type { Database } from "@/db/client";
import { findChat, insertTelegramLink, requeueMessage, unlinkChat } from "@/db/queries/telegram-chats";
import { insertMessages, readBot } from "@/db/queries/telegram-queue";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { includesFeature, type PlansOfKey } from "@/lib/runtime/plan-features";
import { sha256 } from "@/lib/runtime/secrets";
import { AppError } from "@/lib/wire/errors";
import { hasTelegramBot } from "./bot-api";

export const TELEGRAM_LINK_MINUTES = 10;

/**
 * Creates a link that opens Telegram and connects the chat to this subscription. It is valid once, for ten minutes, and
 * replaces earlier links. Throws conflict if the plan has no Telegram, no bot is configured or its name is not known
 * yet.
 */
export async function makeTelegramLink(
  database: Database,
  owner: PlansOfKey & { subscriptionId: number },
  actor: Actor,
): Promise<string> {
  const { subscriptionId } = owner;
  if (!includesFeature(owner, "telegram"))
    throw new AppError("conflict", { detail: "Your plan does not include Telegram." });
  const { userName } = await readBot(database);
  if (!hasTelegramBot() || userName === null)
    throw new AppError("conflict", {
      detail: "The Telegram bot does not answer at the moment. Try again later.",
    });
  const token = randomBytes(24).toString("base64url");
  await database.transaction(async (tx) => {
    await insertTelegramLink(tx, {
      tokenHash: sha256(token),
      subscriptionId,
      minutes: TELEGRAM_LINK_MINUTES,
    });
    await recordAudit(tx, {
      actor,
      action: "telegram.make_link",
      target: `subscription/${subscriptionId}`,
      subscriptionId,
    });
  });
  return `https://t.me/${userName}?start=${token}`;
}

/** Unlinks a subscription's chat, with a message to the chat. */
export async function unlinkTelegram(
  database: Database,
  subscriptionId: number,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const chat = await findChat(tx, subscriptionId);
    if (!chat || !(await unlinkChat(tx, subscriptionId))) return;
    await insertMessages(tx, [
      {
        dedupeKey: `unlinked/${subscriptionId}/${chat.linkedAt.getTime()}`,
        subscriptionId,
        chatId: chat.chatId,
        kind: "reply",
        text: "This chat was unlinked in the portal. You get no more messages.",
      },
    ]);
    await recordAudit(tx, {
      actor,
      action: "telegram.unlink",
      target: `subscription/${subscriptionId}`,
      subscriptionId,
    });
  });
}

/** Requeues a message that was given up or is in doubt, for the administrator. */
export async function resendTelegramMessage(database: Database, id: number, actor: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const again = await requeueMessage(tx, id);
    if (!again) throw new AppError("conflict", { detail: "This message was not given up." });
    await recordAudit(tx, {
      actor,
      action: "telegram.send_again",
      target: `telegram/${id}`,
      subscriptionId: again.subscriptionId,
    });
  });
}
