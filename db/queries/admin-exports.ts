import { asc, eq, gt, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import {
  adminAudit,
  apiKeys,
  executions,
  keyHeartbeats,
  paymentDeliveries,
  subscriptions,
} from "@/db/schema";

/** Rows of a table after an id, in order of id: however long the export runs, each page is one stretch of the key. */
export interface ExportPage {
  afterId: number;
  limit: number;
}

/** Keys with the subscriber that each belongs to. Never the key or its hash. */
export async function listKeysForExport(handle: Handle, { afterId, limit }: ExportPage) {
  return handle
    .select({
      id: apiKeys.id,
      subscriptionId: apiKeys.subscriptionId,
      userName: subscriptions.userName,
      email: subscriptions.email,
      notes: subscriptions.notes,
      planTier: apiKeys.planTier,
      hint: apiKeys.hint,
      expiresAt: apiKeys.expiresAt,
      revokedAt: apiKeys.revokedAt,
      rotatedAt: apiKeys.rotatedAt,
      symbolsAllowed: apiKeys.symbolsAllowed,
      tfsAllowed: apiKeys.tfsAllowed,
      rateLimitPerMin: apiKeys.rateLimitPerMin,
      createdAt: apiKeys.createdAt,
      lastSeenAt: keyHeartbeats.lastSeenAt,
    })
    .from(apiKeys)
    .innerJoin(subscriptions, eq(subscriptions.id, apiKeys.subscriptionId))
    .leftJoin(keyHeartbeats, eq(keyHeartbeats.keyId, apiKeys.id))
    .where(gt(apiKeys.id, afterId))
    .orderBy(asc(apiKeys.id))
    .limit(limit);
}

/** Executions of every subscription. */
export async function listExecutionsForExport(handle: Handle, { afterId, limit }: ExportPage) {
  return handle
    .select({
      id: executions.id,
      subscriptionId: executions.subscriptionId,
      ticket: sql<string>`${executions.ticket}::text`,
      symbol: executions.symbol,
      timeframe: executions.timeframe,
      signal: executions.signal,
      confidence: executions.confidence,
      openedAt: executions.openedAt,
      closedAt: executions.closedAt,
      entryPrice: executions.entryPrice,
      exitPrice: executions.exitPrice,
      pnl: executions.pnl,
      result: executions.result,
    })
    .from(executions)
    .where(gt(executions.id, afterId))
    .orderBy(asc(executions.id))
    .limit(limit);
}

/** Payment deliveries without their payloads. */
export async function listDeliveriesForExport(handle: Handle, { afterId, limit }: ExportPage) {
  return handle
    .select({
      id: paymentDeliveries.id,
      event: paymentDeliveries.event,
      invoiceId: paymentDeliveries.invoiceId,
      emailHash: paymentDeliveries.emailHash,
      action: paymentDeliveries.action,
      reason: paymentDeliveries.reason,
      flags: paymentDeliveries.flags,
      nReceived: paymentDeliveries.nReceived,
      receivedAt: paymentDeliveries.receivedAt,
      reappliedAt: paymentDeliveries.reappliedAt,
      reviewedAt: paymentDeliveries.reviewedAt,
    })
    .from(paymentDeliveries)
    .where(gt(paymentDeliveries.id, afterId))
    .orderBy(asc(paymentDeliveries.id))
    .limit(limit);
}

/** The audit log, oldest first. */
export async function listAuditForExport(handle: Handle, { afterId, limit }: ExportPage) {
  return handle
    .select()
    .from(adminAudit)
    .where(gt(adminAudit.id, afterId))
    .orderBy(asc(adminAudit.id))
    .limit(limit);
}
