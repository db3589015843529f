import type { Api } from "grammy";
import type { Update } from "grammy/types";
import type { Database } from "@/db/client";
import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import { readBot, recordProcessedTelegramUpdate } from "@/db/queries/telegram-queue";
import { errorFacts, log } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import type { TelegramUpdate } from "@/lib/wire/contracts/telegram";
import { AppError } from "@/lib/wire/errors";
import { botApi } from "./bot-api";
import { type BotInfo, handleUpdate } from "./handle-update";

/**
 * Processes an update once. An update that fails is logged and marked as processed, so that it does not block later
 * ones. Throws only while the database is unavailable.
 */
export async function processUpdateOnce(
  database: Database,
  bot: { api: Api; botInfo: BotInfo; accessOf: ComputeReceiverAccess },
  update: Update,
): Promise<void> {
  try {
    await handleUpdate(database, bot, update);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    log("error", "an update from Telegram failed", { error: errorFacts(error) });
  }
  // An update that requires nothing is marked as processed, too.
  await recordProcessedTelegramUpdate(database, { botId: bot.botInfo.id, updateId: update.update_id });
}

/**
 * Processes an update that Telegram sent to the webhook. Throws unavailable if no bot is configured, and while the
 * bot's name is unknown.
 */
export async function processWebhookUpdate(
  database: Database,
  { accessOf }: { accessOf: ComputeReceiverAccess },
  update: TelegramUpdate,
): Promise<void> {
  const api = botApi();
  const { userName } = await readBot(database);
  if (api === null || userName === null)
    throw new AppError("unavailable", { headers: { "Retry-After": "5" } });
  // Only Telegram has the secret, and the client's types describe its updates.
  await processUpdateOnce(
    database,
    { api, botInfo: botNamed(userName, api.token), accessOf },
    update as Update,
  );
}

/** The bot's own data, as far as updates need it. The token begins with the bot's id. */
function botNamed(userName: string, token: string): BotInfo {
  return {
    id: Number(token.split(":")[0]),
    is_bot: true,
    first_name: userName,
    username: userName,
    can_join_groups: false,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_join_request_queries: false,
  };
}
