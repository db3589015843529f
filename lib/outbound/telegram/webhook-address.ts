import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { sameSecret, sha256 } from "@/lib/runtime/secrets";
import { serviceSecret } from "@/lib/runtime/service-secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { cachedSetting } from "@/lib/settings/cached-settings";

/** What Telegram tells the bot of. */
export const ALLOWED_UPDATES = ["message", "callback_query", "my_chat_member"] as const;

/** Where Telegram sends updates to. */
export const webhookAddress = (): string => env().baseUrl + paths.telegramWebhook();

/** What Telegram sends along with each update. It is made from the token, which could set any other. */
export const webhookSecret = (botToken: string): string => sha256(`telegram-webhook:${botToken}`);

/** Whether an update was sent by Telegram. None is while the bot polls. */
export async function isFromTelegram(sentSecret: string | null): Promise<boolean> {
  if (sentSecret === null) return false;
  await settingsCache().get();
  const token = serviceSecret("TELEGRAM_BOT_TOKEN");
  const isSentTo = cachedSetting("telegram_updates").mode === "webhook";
  return isSentTo && token !== null && sameSecret(sentSecret, webhookSecret(token));
}
