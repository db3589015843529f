import { db } from "@/db/client";
import { accessOfKey } from "@/lib/access/access-of-key";
import { respond } from "@/lib/api/answer";
import { parseBody } from "@/lib/api/parse";
import { route } from "@/lib/api/route";
import { isFromTelegram } from "@/lib/outbound/telegram/webhook-address";
import { TelegramUpdate, UpdateTaken } from "@/lib/wire/contracts/telegram";
import { AppError } from "@/lib/wire/errors";

/**
 * POST /webhooks/telegram: what a person sent to the bot. Nothing of it is read without the secret that Telegram was
 * given; a missing and a wrong one are the same 403.
 */
export const POST = route(async (request) => {
  if (!(await isFromTelegram(request.headers.get("x-telegram-bot-api-secret-token"))))
    throw new AppError("signature_invalid");
  const update = await parseBody(request, TelegramUpdate);
  // A bot that was never written to takes no memory.
  const { doSentUpdate } = await import("@/lib/outbound/telegram/do-update");
  await doSentUpdate(db(), { accessOf: accessOfKey }, update);
  return respond(UpdateTaken, { ok: true });
});
