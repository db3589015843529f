import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import {
  adminAudit,
  apiKeys,
  executionChanges,
  executions,
  invoices,
  mailOutbox,
  rejectedReports,
  subscriptions,
} from "@/db/schema";
import { epochMs, toInstant } from "./instants";

/** The invoice that set the present end of access; null when it was not set by a payment. */
export async function findAccessInvoice(handle: Handle, subscriptionId: number) {
  const [row] = await handle
    .select({ invoiceId: invoices.invoiceId, paidAt: invoices.paidAt, expiresAt: invoices.expiresAt })
    .from(invoices)
    .where(
      and(
        eq(invoices.subscriptionId, subscriptionId),
        eq(invoices.state, "paid"),
        isNotNull(invoices.expiresAt),
      ),
    )
    .orderBy(desc(invoices.createdAt))
    .limit(1);
  return row ?? null;
}

/** Version of the shared signals and when each of these subscriptions last called, in one statement. */
export async function readLiveState(
  handle: Handle,
  subscriptionIds: readonly number[],
): Promise<{ signals: number; lastSeenAt: Map<number, Date> }> {
  const rows = await handle.execute<{
    signals: string;
    subscription_id: number | null;
    seen_ms: string | null;
  }>(sql`
    select v.signals, h.subscription_id, ${epochMs("max(h.last_seen_at)")} as seen_ms
      from state_versions v
      left join key_heartbeats h
        on h.subscription_id in (select value::int from jsonb_array_elements_text(${JSON.stringify(subscriptionIds)}::jsonb) as value)
     group by v.signals, h.subscription_id`);
  const lastSeenAt = new Map<number, Date>();
  for (const row of rows) {
    if (row.subscription_id !== null && row.seen_ms !== null)
      lastSeenAt.set(row.subscription_id, toInstant(row.seen_ms));
  }
  return { signals: Number(rows[0]?.signals ?? 0), lastSeenAt };
}

/** Everything that is kept about one subscription beside its executions, without secrets. */
export async function readSubscriberData(handle: Handle, subscriptionId: number) {
  const [subscription, keys, paid, mails, audit, rejected, changes] = await Promise.all([
    handle.select().from(subscriptions).where(eq(subscriptions.id, subscriptionId)),
    handle
      .select({
        keyId: apiKeys.id,
        hint: apiKeys.hint,
        planTier: apiKeys.planTier,
        expiresAt: apiKeys.expiresAt,
        revokedAt: apiKeys.revokedAt,
        rotatedAt: apiKeys.rotatedAt,
        createdAt: apiKeys.createdAt,
      })
      .from(apiKeys)
      .where(eq(apiKeys.subscriptionId, subscriptionId)),
    handle
      .select({
        invoiceId: invoices.invoiceId,
        state: invoices.state,
        planTier: invoices.planTier,
        paidAt: invoices.paidAt,
        expiresAt: invoices.expiresAt,
        endedAt: invoices.endedAt,
      })
      .from(invoices)
      .where(eq(invoices.subscriptionId, subscriptionId)),
    handle
      .select({
        kind: mailOutbox.kind,
        recipient: mailOutbox.recipient,
        status: mailOutbox.status,
        sentAt: mailOutbox.sentAt,
        createdAt: mailOutbox.createdAt,
      })
      .from(mailOutbox)
      .where(eq(mailOutbox.subscriptionId, subscriptionId)),
    handle
      .select({ action: adminAudit.action, target: adminAudit.target, at: adminAudit.at })
      .from(adminAudit)
      .where(eq(adminAudit.subscriptionId, subscriptionId)),
    handle
      .select({
        code: rejectedReports.code,
        errors: rejectedReports.errors,
        bodyExcerpt: rejectedReports.bodyExcerpt,
        at: rejectedReports.at,
      })
      .from(rejectedReports)
      .where(eq(rejectedReports.subscriptionId, subscriptionId)),
    handle
      .select({
        executionId: executionChanges.executionId,
        before: executionChanges.before,
        after: executionChanges.after,
        at: executionChanges.at,
      })
      .from(executionChanges)
      .innerJoin(executions, eq(executions.id, executionChanges.executionId))
      .where(eq(executions.subscriptionId, subscriptionId)),
  ]);
  const [person] = subscription;
  return {
    subscription: person && {
      userName: person.userName,
      email: person.email,
      preferences: person.preferences,
      createdAt: person.createdAt,
    },
    keys,
    invoices: paid,
    mails,
    events: audit,
    rejectedReports: rejected,
    executionChanges: changes,
  };
}
