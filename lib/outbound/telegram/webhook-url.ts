import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { isSameSecret, sha256 } from "@/lib/runtime/secrets";
import { serviceSecret } from "@/lib/runtime/service-secrets";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { cachedSetting } from "@/lib/settings/cached-settings";

/** Kinds of updates that Telegram delivers to the bot. */
export const ALLOWED_UPDATES = ["message", "callback_query", "my_chat_member"] as const;

/** Address to which Telegram delivers updates. */
export const telegramWebhookUrl = (): string => env().baseUrl + paths.telegramWebhook();

/**
 * Secret that Telegram sends with each update. It is derived from the bot's token, because a holder of the token could
 * set any secret at Telegram anyway.
 */
export const telegramWebhookSecret = (botToken: string): string => sha256(`telegram-webhook:${botToken}`);

/** Whether Telegram sent an update, by the secret that came with it. Always false while the bot polls. */
export async function isFromTelegram(sentSecret: string | null): Promise<boolean> {
  if (sentSecret === null) return false;
  await settingsCache().get();
  const token = serviceSecret("TELEGRAM_BOT_TOKEN");
  const isSentTo = cachedSetting("telegram_updates").mode === "webhook";
  return isSentTo && token !== null && isSameSecret(sentSecret, telegramWebhookSecret(token));
}
