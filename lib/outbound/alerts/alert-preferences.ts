import type { Database } from "@/db/client";
import {
  type AlertSettingsInput,
  findAlertSettings,
  lockAlertRecipients,
  saveAlertSettings,
} from "@/db/queries/alerts";
import { readClock } from "@/db/queries/clock";
import { isTimeZone } from "@/lib/market/clock";
import { requireValidQuietHours } from "@/lib/outbound/quiet-hours";
import { newSigningSecret } from "@/lib/outbound/webhooks/secret";
import { parseWebhookUrl } from "@/lib/outbound/webhooks/target";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { encrypt } from "@/lib/runtime/secrets";
import { AppError, invalidField } from "@/lib/wire/errors";
import { sendTestAlertTo } from "./send-alerts";

/**
 * Stores an owner's alert topics and delivery method. Returns a new webhook secret, which is shown once; null: no
 * secret was created. Throws 422 naming the invalid field.
 */
export async function changeAlertSettings(
  database: Database,
  administratorId: number,
  wish: AlertSettingsInput & { newSecret: boolean },
  actor: Actor,
): Promise<string | null> {
  const { newSecret, ...chosen } = wish;
  if (!isTimeZone(chosen.timeZone)) throw invalidField("body", "time_zone", "is not a known time zone");
  requireValidQuietHours(chosen);
  if (chosen.way === "telegram" && chosen.telegramChatId === null)
    throw invalidField("body", "telegram_chat_id", "is needed for Telegram");
  if (chosen.way === "webhook" && chosen.webhookUrl === null)
    throw invalidField("body", "url", "is needed for a webhook");
  const webhookUrl = chosen.webhookUrl === null ? null : parseWebhookUrl(chosen.webhookUrl);
  return database.transaction(async (tx) => {
    const before = await findAlertSettings(tx, administratorId);
    const secret =
      webhookUrl !== null && (newSecret || before?.webhookSecretEncrypted == null)
        ? newSigningSecret()
        : null;
    await saveAlertSettings(tx, administratorId, {
      ...chosen,
      webhookUrl,
      ...(secret === null ? {} : { webhookSecretEncrypted: encrypt(secret) }),
    });
    await recordAudit(tx, {
      actor,
      action: "alerts.choose",
      target: `administrator/${administratorId}`,
      details: {
        before: before && { topics: before.topics, way: before.way },
        after: { topics: chosen.topics, way: chosen.way },
      },
    });
    return secret;
  });
}

/** Queues a test alert by the owner's delivery method. Throws conflict if the owner has not saved alert settings. */
export async function sendTestAlert(
  database: Database,
  administratorId: number,
  actor: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const owners = await lockAlertRecipients(tx);
    const owner = owners.find((each) => each.administratorId === administratorId);
    if (!owner)
      throw new AppError("conflict", {
        detail: "Choose topics and a delivery method before you send a test.",
      });
    await sendTestAlertTo(tx, owner, await readClock(tx));
    await recordAudit(tx, { actor, action: "alerts.test", target: `administrator/${administratorId}` });
  });
}
