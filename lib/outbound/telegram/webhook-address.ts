import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { sameSecret, sha256 } from "@/lib/runtime/secrets";

/** What Telegram tells the bot of. */
export const TOLD = ["message", "callback_query", "my_chat_member"] as const;

/** Where Telegram sends updates to. */
export const webhookAddress = (): string => env().baseUrl + paths.telegramWebhook();

/** What Telegram sends along with each update. It is made from the token, which could set any other. */
export const webhookSecret = (botToken: string): string => sha256(`telegram-webhook:${botToken}`);

/** Whether an update was sent by Telegram. None is while the bot polls. */
export function isFromTelegram(sentSecret: string | null): boolean {
  const { telegramBotToken, telegramMode } = env();
  if (telegramBotToken === null || telegramMode !== "webhook" || sentSecret === null) return false;
  return sameSecret(sentSecret, webhookSecret(telegramBotToken));
}
