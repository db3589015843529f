import { db } from "@/db/client";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { respond } from "@/lib/api/answer";
import { parseBody } from "@/lib/api/parse";
import { route } from "@/lib/api/route";
import { isFromTelegram } from "@/lib/outbound/telegram/webhook-url";
import { TelegramUpdate, TelegramUpdateAnswer } from "@/lib/wire/contracts/telegram";
import { AppError } from "@/lib/wire/errors";

/**
 * POST /webhooks/telegram: an update that Telegram sends for the bot. The secret in the header is checked before the body is
 * read; a missing and a wrong secret get the same 403.
 */
export const POST = route(async (request) => {
  if (!(await isFromTelegram(request.headers.get("x-telegram-bot-api-secret-token"))))
    throw new AppError("signature_invalid");
  const update = await parseBody(request, TelegramUpdate);
  // Imported on first use, to save memory on installations without a bot.
  const { processWebhookUpdate } = await import("@/lib/outbound/telegram/process-update");
  await processWebhookUpdate(db(), { accessOf: computeReceiverAccess }, update);
  return respond(TelegramUpdateAnswer, { ok: true });
});
