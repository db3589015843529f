import type { Database } from "@/db/client";
import {
  deleteQueuedAuditEntry,
  type LeasedAuditEntry,
  leaseQueuedAuditEntry,
  postponeQueuedAuditEntry,
} from "@/db/queries/audit";
import { type Channel, deliverDueItems } from "@/lib/outbound/channel";
import { postJson } from "@/lib/outbound/webhooks/post";
import { webhookRetryDelayMs } from "@/lib/outbound/webhooks/retry";
import { signedHeaders } from "@/lib/outbound/webhooks/secret";
import { env } from "@/lib/runtime/env";
import { SECOND_MS } from "@/lib/time";
import { writeJson } from "@/lib/wire/json";

/** From this attempt on the delay stays at 15 minutes. Audit entries are never given up. */
const LONGEST_PAUSE_TRY = 4;

interface AuditPost {
  url: string;
  body: string;
  headers: Record<string, string>;
}

/** Posts queued entries of the audit log to the operator's server, in order. Does nothing if none is configured. */
export async function postAuditEntries(database: Database, signal: AbortSignal): Promise<void> {
  const { auditWebhook } = env();
  if (auditWebhook !== null) await deliverDueItems(auditChannel(database, auditWebhook), signal);
}

const auditChannel = (
  database: Database,
  { url, secret }: { url: string; secret: string },
): Channel<LeasedAuditEntry, AuditPost> => ({
  name: "audit",
  lanes: [1],
  gapMs: 0,
  async lease() {
    const post = await leaseQueuedAuditEntry(database);
    return post ? [post] : [];
  },
  async write({ auditId, entry }) {
    const body = entryBody(entry);
    // The same id for each attempt, so that the receiver recognises duplicates.
    return {
      message: { url, body, headers: signedHeaders({ id: `audit_${auditId}`, body }, [secret], new Date()) },
    };
  },
  async send(_, { url, body, headers }) {
    const { code, retryAfterSeconds } = await postJson(url, body, headers, { isOperators: true });
    return code === null ? { result: "sent" } : { result: "retry", code, retryAfterSeconds };
  },
  retryMs: ({ attempts }, { retryAfterSeconds }) =>
    webhookRetryDelayMs(Math.min(attempts, LONGEST_PAUSE_TRY), retryAfterSeconds ?? null, Math.random()),
  async settle({ auditId }, end) {
    if (end.state === "sent") return deleteQueuedAuditEntry(database, auditId);
    if (end.state !== "pending") return;
    await postponeQueuedAuditEntry(database, auditId, {
      lastCode: end.code,
      afterSeconds: end.delayMs / SECOND_MS,
    });
  },
});

function entryBody({ id, at, actor, action, target, ...entry }: LeasedAuditEntry["entry"]): string {
  return writeJson({
    type: "audit.entry",
    timestamp: at,
    data: {
      id,
      actor,
      action,
      target,
      subscription_id: entry.subscriptionId,
      details: entry.details,
      address: entry.address,
      request_id: entry.requestId,
    },
  });
}
