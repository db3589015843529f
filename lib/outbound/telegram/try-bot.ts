import { botApi, failureOf } from "./bot-api";

/** What Telegram says to the bot's token: the name of the bot, or a short word for why not; null: there is no token. */
export async function tryBot(): Promise<{ userName: string } | { code: string } | null> {
  const api = botApi();
  if (api === null) return null;
  try {
    return { userName: (await api.getMe()).username };
  } catch (error) {
    return { code: failureOf(error).code };
  }
}
