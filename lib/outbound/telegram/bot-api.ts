import { Api, GrammyError, HttpError } from "grammy";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { serviceSecret } from "@/lib/runtime/service-secrets";

const TIMEOUT_SECONDS = 15;

/** Telegram's Bot API for the configured bot; null when none is configured. */
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

/** Whether a bot is configured. */
export const hasBot = (): boolean => serviceSecret("TELEGRAM_BOT_TOKEN") !== null;

/** What a failed call means. Codes are short words: Telegram's own texts and the client's may quote a name or the token. */
export type BotFailure =
  /** Too much was sent: nothing before this is over. */
  | { kind: "wait"; code: string; delayMs: number }
  /** The call did not happen; it may be repeated. */
  | { kind: "retry"; code: string }
  /** Nobody knows whether it happened. */
  | { kind: "unknown"; code: string }
  /** The person has blocked the bot or is gone. */
  | { kind: "blocked"; code: string }
  /** A message that is edited is as it should be already. */
  | { kind: "same"; code: string }
  /** Will not succeed. */
  | { kind: "refused"; code: string };

/** Errors of a connection that was never made. */
const NOT_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
/** The operator can repair a wrong token: messages wait for it. */
const OURS_TO_REPAIR = new Set([401, 404, 409]);

export function failureOf(error: unknown): BotFailure {
  if (error instanceof GrammyError) {
    const { error_code: status, description, parameters } = error;
    const code = `telegram_${status}`;
    if (status === 429) return { kind: "wait", code, delayMs: 1000 * (parameters.retry_after ?? 1) };
    if (status >= 500 || OURS_TO_REPAIR.has(status)) return { kind: "retry", code };
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
