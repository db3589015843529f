import type { Api } from "grammy";
import type { Database } from "@/db/client";
import type { ComputeReceiverAccess } from "@/db/queries/outbound-grants";
import {
  deleteOldTelegramUpdates,
  readNextUpdateId,
  recordTelegramCallResult,
} from "@/db/queries/telegram-queue";
import { log } from "@/lib/runtime/log";
import { processWide } from "@/lib/runtime/process-wide";
import { cachedSetting } from "@/lib/settings/cached-settings";
import { botFailureOf } from "./bot-api";
import type { BotInfo } from "./handle-update";
import { processUpdateOnce } from "./process-update";
import { ALLOWED_UPDATES, telegramWebhookSecret, telegramWebhookUrl } from "./webhook-url";

/** Seconds that a long poll waits for updates: less than the time limit of a call. */
const POLL_SECONDS = 10;
/** Interval of checking that Telegram still has the webhook address. */
const LOOK_AGAIN_MS = 60_000;

type TelegramMode = "polling" | "webhook";

interface Held {
  /** The token that the other values belong to: another token may be another bot's. */
  token: string;
  botInfo: BotInfo | null;
  /** The delivery mode that is set at Telegram; null: to be checked. `lookedAtMs` is the time of the last check. */
  way: TelegramMode | null;
  lookedAtMs: number;
  /** Whether a call has failed since the last successful poll. */
  hasFailed: boolean;
}
const fresh = (token: string): Held => ({
  token,
  botInfo: null,
  way: null,
  lookedAtMs: Number.NEGATIVE_INFINITY,
  hasFailed: false,
});

function stateOf({ token }: Api): Held {
  const held = processWide("telegram-me", () => fresh(token));
  return held.token === token ? held : Object.assign(held, fresh(token));
}

// The client's types name the class of a polyfill, with which Node's AbortSignal is compatible.
type CallSignal = NonNullable<Parameters<Api["getMe"]>[0]>;

/**
 * Receives and processes updates for the bot. In polling mode it long-polls Telegram and processes each update in
 * order; in webhook mode it ensures that Telegram has the webhook address. Returns the number of polled updates. A
 * failed call is logged and recorded, not thrown.
 */
export async function receiveTelegramUpdates(
  database: Database,
  {
    api,
    accessOf,
    pollSeconds = POLL_SECONDS,
    mode = cachedSetting("telegram_updates").mode,
  }: { api: Api; accessOf: ComputeReceiverAccess; pollSeconds?: number; mode?: TelegramMode },
  signal: AbortSignal,
): Promise<number> {
  const held = stateOf(api);
  const called = signal as unknown as CallSignal;
  try {
    if (held.botInfo === null) {
      held.botInfo = await api.getMe(called);
      await recordTelegramCallResult(database, { code: null, userName: held.botInfo.username });
    }
    if (mode === "webhook") {
      await keepWebhook(database, api, held, called);
      return 0;
    }
    if (held.way !== "polling") {
      // Telegram answers no poll while a webhook address is set.
      if ((await api.getWebhookInfo(called)).url !== "") await api.deleteWebhook({}, called);
      held.way = "polling";
    }
    const updates = await api.getUpdates(
      {
        offset: await readNextUpdateId(database, held.botInfo.id),
        timeout: pollSeconds,
        allowed_updates: [...ALLOWED_UPDATES],
      },
      called,
    );
    if (held.hasFailed) await recordTelegramCallResult(database, { code: null });
    held.hasFailed = false;
    if (updates.length > 0) await deleteOldTelegramUpdates(database);
    for (const update of updates)
      await processUpdateOnce(database, { api, botInfo: held.botInfo, accessOf }, update);
    return updates.length;
  } catch (error) {
    if (signal.aborted) return 0;
    // After any failure, such as a webhook address that prevents polling, check again.
    held.way = null;
    held.hasFailed = true;
    held.lookedAtMs = Number.NEGATIVE_INFINITY;
    const { code } = botFailureOf(error);
    await recordTelegramCallResult(database, { code });
    log("info", "Telegram did not answer", { reason: code });
    return 0;
  }
}

/** Sets the webhook address at Telegram, and checks every minute that it is still set and that deliveries succeed. */
async function keepWebhook(database: Database, api: Api, held: Held, called: CallSignal): Promise<void> {
  if (held.way === "webhook" && performance.now() - held.lookedAtMs < LOOK_AGAIN_MS) return;
  const url = telegramWebhookUrl();
  const known = await api.getWebhookInfo(called);
  // Telegram does not report the stored secret, so each process sets address and secret once.
  if (held.way !== "webhook" || known.url !== url)
    await api.setWebhook(
      url,
      {
        secret_token: telegramWebhookSecret(api.token),
        allowed_updates: [...ALLOWED_UPDATES],
        max_connections: 10,
      },
      called,
    );
  held.way = "webhook";
  held.lookedAtMs = performance.now();
  const failedAtMs = 1000 * (known.last_error_date ?? 0);
  const isFailing = (known.pending_update_count ?? 0) > 0 && Date.now() - failedAtMs < 2 * LOOK_AGAIN_MS;
  if (isFailing) log("warn", "Telegram cannot reach its webhook", { count: known.pending_update_count });
  await recordTelegramCallResult(database, { code: isFailing ? "webhook_unreachable" : null });
  await deleteOldTelegramUpdates(database);
}
