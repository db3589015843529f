import type { Database } from "@/db/client";
import { findAlertChoice, leaseAlertPost, settleAlertPost } from "@/db/queries/alerts";
import { postJson } from "@/lib/outbound/webhooks/post";
import { pauseAfter } from "@/lib/outbound/webhooks/retry";
import { signedHeaders } from "@/lib/outbound/webhooks/secret";
import { decrypt } from "@/lib/runtime/secrets";
import { SECOND_MS } from "@/lib/time";

/** Posts what waits for owners' servers, signed as subscribers' webhooks are and repeated as those are. */
export async function deliverAlertPosts(database: Database, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const post = await leaseAlertPost(database);
    if (post === null) return;
    const choice = await findAlertChoice(database, post.administratorId);
    if (!choice?.webhookUrl || !choice.webhookSecretEncrypted) {
      await settleAlertPost(database, post.id, { state: "dead", lastCode: "no_address" });
      continue;
    }
    const headers = signedHeaders(
      { id: `alert_${post.id}`, body: post.body },
      [decrypt(choice.webhookSecretEncrypted)],
      new Date(),
    );
    const { code, retryAfterSeconds } = await postJson(choice.webhookUrl, post.body, headers);
    const pauseMs = code === null ? null : pauseAfter(post.attempts, retryAfterSeconds, Math.random());
    await settleAlertPost(database, post.id, {
      state: code === null ? "sent" : pauseMs === null ? "dead" : "pending",
      lastCode: code,
      afterSeconds: (pauseMs ?? 0) / SECOND_MS,
    });
  }
}
