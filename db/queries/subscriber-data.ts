import { eq, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import {
  accountRequests,
  adminAudit,
  apiKeys,
  downtimeCredits,
  executionChanges,
  executions,
  formerAddresses,
  invoices,
  keyHeartbeats,
  mailOutbox,
  paymentGraces,
  portalReadMarkers,
  rejectedReports,
  signalFetchDays,
  siteTexts,
  subscriberPauses,
  subscriptions,
  telegramChats,
  telegramMessages,
  terminals,
  textAcceptances,
  untradedSignals,
  users,
  webhookEndpoints,
} from "@/db/schema";
import { listRecipients } from "./channel-recipients";
import { planInForce } from "./key-state";
import { listPaidTimeHistory } from "./paid-time";
import { findRecordLinkCreatedAt } from "./record-links";

/**
 * The stored data of one subscription for its export, without secrets. Excludes sessions, payment deliveries, customer
 * records of payment platforms, and executions.
 */
export async function readSubscriberData(handle: DatabaseHandle, subscriptionId: number) {
  const [
    subscription,
    keys,
    paid,
    mails,
    audit,
    rejected,
    changes,
    endpoints,
    channels,
    chats,
    messages,
    fetched,
    linkedAt,
    clients,
    graces,
    credits,
    looks,
    requests,
    former,
    accepted,
    times,
    notTraded,
    pauses,
    machines,
  ] = await Promise.all([
    handle.select().from(subscriptions).where(eq(subscriptions.id, subscriptionId)),
    handle
      .select({
        keyId: apiKeys.id,
        hint: apiKeys.hint,
        planTier: planInForce(),
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
        externalSubscriptionId: invoices.externalSubscriptionId,
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
        content: mailOutbox.props,
        status: mailOutbox.status,
        sentAt: mailOutbox.sentAt,
        createdAt: mailOutbox.createdAt,
      })
      .from(mailOutbox)
      .where(
        // A link to a try-out is mailed before its address has a subscription.
        sql`${mailOutbox.subscriptionId} = ${subscriptionId} or (${mailOutbox.kind} = 'try-out' and
          lower(${mailOutbox.recipient}) = (select email_normalized from subscriptions where id = ${subscriptionId}))`,
      )
      .orderBy(mailOutbox.id),
    handle
      .select({
        action: adminAudit.action,
        target: adminAudit.target,
        details: adminAudit.details,
        // Only from the subscriber's own actions: addresses of other people are their personal data.
        address: sql<
          string | null
        >`case when ${adminAudit.actor} = ${`subscriber/${subscriptionId}`} then ${adminAudit.address} end`,
        at: adminAudit.at,
      })
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
    listRecipients(handle, subscriptionId),
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
        day: signalFetchDays.day,
        way: signalFetchDays.way,
        slotId: signalFetchDays.slotId,
        minConfidence: signalFetchDays.minConfidence,
        upTo: signalFetchDays.upTo,
        reach: signalFetchDays.reach,
        atMs: signalFetchDays.atMs,
      })
      .from(signalFetchDays)
      .where(eq(signalFetchDays.subscriptionId, subscriptionId)),
    findRecordLinkCreatedAt(handle, subscriptionId),
    handle
      .select({
        keyId: keyHeartbeats.keyId,
        lastSeenAt: keyHeartbeats.lastSeenAt,
        client: keyHeartbeats.client,
        address: keyHeartbeats.address,
        nCalls: keyHeartbeats.nCalls,
      })
      .from(keyHeartbeats)
      .where(eq(keyHeartbeats.subscriptionId, subscriptionId)),
    handle
      .select({
        invoiceId: paymentGraces.invoiceId,
        failures: paymentGraces.nFailures,
        endsAt: paymentGraces.endsAt,
        createdAt: paymentGraces.createdAt,
      })
      .from(paymentGraces)
      .where(eq(paymentGraces.subscriptionId, subscriptionId)),
    handle
      .select({
        month: downtimeCredits.month,
        minutes: downtimeCredits.minutes,
        stretches: downtimeCredits.stretches,
        state: downtimeCredits.state,
        settledAt: downtimeCredits.settledAt,
      })
      .from(downtimeCredits)
      .where(eq(downtimeCredits.subscriptionId, subscriptionId)),
    handle
      .select({ seenUntil: portalReadMarkers.seenUntil })
      .from(portalReadMarkers)
      .where(eq(portalReadMarkers.subscriptionId, subscriptionId)),
    handle
      .select({
        kind: accountRequests.kind,
        newEmail: accountRequests.newEmail,
        confirmedAt: accountRequests.confirmedAt,
        newConfirmedAt: accountRequests.newConfirmedAt,
        createdAt: accountRequests.createdAt,
      })
      .from(accountRequests)
      .where(eq(accountRequests.subscriptionId, subscriptionId)),
    handle
      .select({ address: formerAddresses.emailNormalized, since: formerAddresses.createdAt })
      .from(formerAddresses)
      .where(eq(formerAddresses.subscriptionId, subscriptionId)),
    handle
      .select({ text: siteTexts.name, version: siteTexts.version, acceptedAt: textAcceptances.acceptedAt })
      .from(textAcceptances)
      .innerJoin(siteTexts, eq(siteTexts.id, textAcceptances.textId))
      .innerJoin(users, eq(users.id, textAcceptances.userId))
      .where(sql`${users.subscriptionId} = ${subscriptionId} or ${users.emailNormalized} =
        (select email_normalized from subscriptions where id = ${subscriptionId})`),
    listPaidTimeHistory(handle, subscriptionId),
    handle
      .select({
        signalId: untradedSignals.signalId,
        terminal: untradedSignals.terminal,
        reason: untradedSignals.reason,
        errorCode: untradedSignals.errorCode,
        at: untradedSignals.at,
      })
      .from(untradedSignals)
      .where(eq(untradedSignals.subscriptionId, subscriptionId)),
    handle
      .select({
        symbol: subscriberPauses.symbol,
        timeframe: subscriberPauses.timeframe,
        startedAt: subscriberPauses.startedAt,
        endedAt: subscriberPauses.endedAt,
      })
      .from(subscriberPauses)
      .where(eq(subscriberPauses.subscriptionId, subscriptionId)),
    handle
      .select({
        terminal: terminals.terminal,
        server: terminals.server,
        account: terminals.account,
        firstSeenAt: terminals.firstSeenAt,
        lastSeenAt: terminals.lastSeenAt,
        nCalls: terminals.nCalls,
      })
      .from(terminals)
      .where(eq(terminals.subscriptionId, subscriptionId)),
  ]);
  const [person] = subscription;
  return {
    subscription: person && {
      userName: person.userName,
      email: person.email,
      notes: person.notes,
      preferences: person.preferences,
      createdAt: person.createdAt,
    },
    keys,
    invoices: paid,
    paidTime: times,
    mails,
    events: audit,
    rejectedReports: rejected,
    executionChanges: changes,
    webhooks: endpoints,
    channels,
    telegram: { chats, messages },
    fetches: fetched,
    recordLinkSince: linkedAt,
    seenUntil: looks[0]?.seenUntil ?? null,
    clients,
    graces,
    credits,
    requests,
    formerAddresses: former,
    acceptedTexts: accepted,
    untradedSignals: notTraded,
    ownPauses: pauses,
    terminals: machines,
  };
}
