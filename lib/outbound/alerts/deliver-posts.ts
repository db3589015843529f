import type { Database } from "@/db/client";
import { findAlertSettings, leaseAlertWebhookPost, recordAlertWebhookPostResult } from "@/db/queries/alerts";
import { type Channel, deliverDueItems } from "@/lib/outbound/channel";
import { postJson } from "@/lib/outbound/webhooks/post";
import { webhookRetryDelayMs } from "@/lib/outbound/webhooks/retry";
import { signedHeaders } from "@/lib/outbound/webhooks/secret";
import { decrypt } from "@/lib/runtime/secrets";
import { SECOND_MS } from "@/lib/time";

/**
 * Posts queued alerts to owners' servers, signed and retried like subscribers' webhooks. Returns the number of
 * attempts.
 */
export const deliverAlertPosts = (database: Database, signal: AbortSignal): Promise<number> =>
  deliverDueItems(alertPostChannel(database), signal);

type LeasedPost = NonNullable<Awaited<ReturnType<typeof leaseAlertWebhookPost>>>;
interface AlertPost {
  url: string;
  headers: Record<string, string>;
}

const alertPostChannel = (database: Database): Channel<LeasedPost, AlertPost> => ({
  name: "alerts",
  lanes: [1],
  gapMs: 0,
  async lease() {
    const post = await leaseAlertWebhookPost(database);
    return post ? [post] : [];
  },
  async write({ id, body, administratorId }) {
    const choice = await findAlertSettings(database, administratorId);
    if (!choice?.webhookUrl || !choice.webhookSecretEncrypted) return { result: "dead", code: "no_address" };
    const secrets = [decrypt(choice.webhookSecretEncrypted)];
    const headers = signedHeaders({ id: `alert_${id}`, body }, secrets, new Date());
    return { message: { url: choice.webhookUrl, headers } };
  },
  async send({ body }, { url, headers }) {
    const { code, retryAfterSeconds } = await postJson(url, body, headers);
    return code === null ? { result: "sent" } : { result: "retry", code, retryAfterSeconds };
  },
  retryMs: ({ attempts }, { retryAfterSeconds }) =>
    webhookRetryDelayMs(attempts, retryAfterSeconds ?? null, Math.random()),
  async settle({ id }, end) {
    if (end.state === "sent")
      return recordAlertWebhookPostResult(database, id, { state: "sent", lastCode: null });
    return end.state === "pending"
      ? recordAlertWebhookPostResult(database, id, {
          state: "pending",
          lastCode: end.code,
          afterSeconds: end.delayMs / SECOND_MS,
        })
      : recordAlertWebhookPostResult(database, id, { state: "dead", lastCode: end.code });
  },
});
