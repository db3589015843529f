import { Api, GrammyError, HttpError } from "grammy";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { serviceSecret } from "@/lib/runtime/service-secrets";

const TIMEOUT_SECONDS = 15;

/** Telegram's Bot API for the configured bot; null: none configured. */
export function botApi(): Api | null {
  const token = serviceSecret("TELEGRAM_BOT_TOKEN");
  if (token === null) return null;
  const apiRoot = env().telegramApiRoot;
  const made = processWide<{ api: Api | null; apiRoot: string }>("telegram-api", () => ({
    api: null,
    apiRoot,
  }));
  if (made.api?.token === token && made.apiRoot === apiRoot) return made.api;
  const api = new Api(token, { apiRoot, timeoutSeconds: TIMEOUT_SECONDS });
  Object.assign(made, { api, apiRoot });
  return api;
}

export const hasTelegramBot = (): boolean => serviceSecret("TELEGRAM_BOT_TOKEN") !== null;

/** Meaning of a failed call. Codes are short words: texts of Telegram and its client may quote a name or the token. */
export type BotFailure =
  /** Rate limit of the whole bot: nothing may be sent until `delayMs` has passed. */
  | { kind: "wait"; code: string; delayMs: number }
  /** Telegram refused the call for now, or there was no connection: it did not happen and may be repeated. */
  | { kind: "retry"; code: string }
  /** It is unknown whether the call happened: no answer, or an error of Telegram's servers. */
  | { kind: "unknown"; code: string }
  /** The group was upgraded: its chat has another id now. */
  | { kind: "moved"; code: string; chatId: number }
  /** The bot can no longer write to the chat, for example because the person has blocked it or deleted the account. */
  | { kind: "blocked"; code: string }
  /** The edited message already has this text. */
  | { kind: "same"; code: string }
  /** Telegram refused the call for good. */
  | { kind: "refused"; code: string };

/** Codes of errors before a connection was established: nothing was sent. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
/** Statuses that the operator can repair, such as a wrong token (401, 404) or a second poller (409): messages wait. */
const OURS_TO_REPAIR = new Set([401, 404, 409]);

export function botFailureOf(error: unknown): BotFailure {
  if (error instanceof GrammyError) {
    const { error_code: status, description, parameters } = error;
    const code = `telegram_${status}`;
    if (status === 429) return { kind: "wait", code, delayMs: 1000 * (parameters.retry_after ?? 1) };
    if (status >= 500) return { kind: "unknown", code };
    if (OURS_TO_REPAIR.has(status)) return { kind: "retry", code };
    const { migrate_to_chat_id: chatId } = parameters;
    if (chatId !== undefined) return { kind: "moved", code, chatId };
    if (status === 403 || /chat not found|user is deactivated|PEER_ID_INVALID/i.test(description))
      return { kind: "blocked", code };
    if (/message is not modified/i.test(description)) return { kind: "same", code };
    return { kind: "refused", code };
  }
  const cause = error instanceof HttpError ? error.error : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (NOT_SENT.has(code)) return { kind: "retry", code: code.toLowerCase() };
  return { kind: "unknown", code: /^[A-Z_]{3,40}$/.test(code) ? code.toLowerCase() : "no_answer" };
}
