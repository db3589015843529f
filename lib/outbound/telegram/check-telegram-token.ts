import { botApi, botFailureOf } from "./bot-api";

/**
 * Tests the bot's token at Telegram. Returns the bot's name, or a short code for the failure; null: there is no token.
 */
export async function checkTelegramToken(): Promise<{ userName: string } | { code: string } | null> {
  const api = botApi();
  if (api === null) return null;
  try {
    return { userName: (await api.getMe()).username };
  } catch (error) {
    return { code: botFailureOf(error).code };
  }
}
