import { eq } from "drizzle-orm";
import type { Handle } from "@/db/client";
import {
  adminAudit,
  apiKeys,
  executionChanges,
  executions,
  fetchDays,
  invoices,
  mailOutbox,
  rejectedReports,
  subscriptions,
  telegramChats,
  telegramMessages,
  webhookEndpoints,
} from "@/db/schema";
import { findRecordLinkSince } from "./record-links";

/** Everything that is kept about one subscription beside its executions, without secrets. */
export async function readSubscriberData(handle: Handle, subscriptionId: number) {
  const [
    subscription,
    keys,
    paid,
    mails,
    audit,
    rejected,
    changes,
    endpoints,
    chats,
    messages,
    fetched,
    linkedAt,
  ] = await Promise.all([
    handle.select().from(subscriptions).where(eq(subscriptions.id, subscriptionId)),
    handle
      .select({
        keyId: apiKeys.id,
        hint: apiKeys.hint,
        planTier: apiKeys.planTier,
        expiresAt: apiKeys.expiresAt,
        revokedAt: apiKeys.revokedAt,
        rotatedAt: apiKeys.rotatedAt,
        suspendedAt: apiKeys.suspendedAt,
        createdAt: apiKeys.createdAt,
      })
      .from(apiKeys)
      .where(eq(apiKeys.subscriptionId, subscriptionId)),
    handle
      .select({
        invoiceId: invoices.invoiceId,
        state: invoices.state,
        planTier: invoices.planTier,
        productId: invoices.productId,
        amount: invoices.amount,
        currency: invoices.currency,
        refundedAmount: invoices.refundedAmount,
        effect: invoices.effect,
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
    handle
      .select({
        url: webhookEndpoints.url,
        events: webhookEndpoints.events,
        state: webhookEndpoints.state,
        createdAt: webhookEndpoints.createdAt,
      })
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.subscriptionId, subscriptionId)),
    handle
      .select({
        chatId: telegramChats.chatId,
        name: telegramChats.name,
        quietFrom: telegramChats.quietFrom,
        quietTo: telegramChats.quietTo,
        withNoTrade: telegramChats.withNoTrade,
        linkedAt: telegramChats.linkedAt,
      })
      .from(telegramChats)
      .where(eq(telegramChats.subscriptionId, subscriptionId)),
    handle
      .select({
        kind: telegramMessages.kind,
        text: telegramMessages.text,
        state: telegramMessages.state,
        sentAt: telegramMessages.sentAt,
        createdAt: telegramMessages.createdAt,
      })
      .from(telegramMessages)
      .where(eq(telegramMessages.subscriptionId, subscriptionId)),
    handle
      .select({
        day: fetchDays.day,
        way: fetchDays.way,
        slotId: fetchDays.slotId,
        minConfidence: fetchDays.minConfidence,
        upTo: fetchDays.upTo,
        reach: fetchDays.reach,
        atMs: fetchDays.atMs,
      })
      .from(fetchDays)
      .where(eq(fetchDays.subscriptionId, subscriptionId)),
    findRecordLinkSince(handle, subscriptionId),
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
    webhooks: endpoints,
    telegram: { chats, messages },
    fetches: fetched,
    recordLinkSince: linkedAt,
  };
}
