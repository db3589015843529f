import type { DatabaseHandle } from "@/db/client";
import { type AuditRow, listAuditForExport } from "@/db/queries/audit";
import { pagesById } from "@/db/queries/export-pages";
import { listKeysForExport } from "@/db/queries/keys";
import { listPaymentDeliveriesForExport } from "@/db/queries/payment-deliveries";
import { type CsvColumns, type CsvTarget, csvList, csvNumber, csvOf, csvText, csvTime } from "@/lib/wire/csv";

type Listed<F extends (...parameters: never[]) => Promise<unknown[]>> = Awaited<ReturnType<F>>[number];

const SUBSCRIBERS: CsvColumns<Listed<typeof listKeysForExport>> = {
  keyId: ["key_id", csvNumber],
  subscriptionId: ["subscriber_id", csvNumber],
  userName: ["user_name", csvText],
  email: ["email", csvText],
  planTier: ["plan_tier", csvText],
  hint: ["api_key_hint", csvText],
  expiresAt: ["expires_at", csvTime],
  revokedAt: ["revoked_at", csvTime],
  suspendedAt: ["suspended_at", csvTime],
  rotatedAt: ["rotated_at", csvTime],
  symbolsAllowed: ["symbols_allowed", csvList],
  tfsAllowed: ["tfs_allowed", csvList],
  rateLimitPerMin: ["rate_limit_per_min", csvNumber],
  lastSeenAt: ["last_seen_at", csvTime],
  createdAt: ["created_at", csvTime],
  notes: ["notes", csvText],
  active: null,
};

const DELIVERIES: CsvColumns<Listed<typeof listPaymentDeliveriesForExport>> = {
  id: ["delivery_id", csvNumber],
  receivedAt: ["received_at", csvTime],
  event: ["event", csvText],
  invoiceId: ["invoice_id", csvText],
  emailHash: ["buyer", (hash) => ({ text: hash === null ? null : `email#${hash}` })],
  action: ["action", csvText],
  reason: ["reason", csvText],
  flags: ["flags", csvList],
  nReceived: ["times_received", csvNumber],
  reappliedAt: ["reapplied_at", csvTime],
  reviewedAt: ["reviewed_at", csvTime],
  adapter: ["platform", csvText],
  lastReceivedAt: null,
  answer: null,
  subscriptionId: null,
  keyId: null,
  effect: null,
};

const AUDIT: CsvColumns<Omit<AuditRow, "person" | "subscriber" | "targetPerson">> = {
  id: ["id", csvNumber],
  at: ["at", csvTime],
  actor: ["actor", csvText],
  action: ["action", csvText],
  target: ["target", csvText],
  subscriptionId: ["subscriber_id", csvNumber],
  address: ["address", csvText],
  requestId: ["request_id", csvText],
  details: ["details", (details) => ({ text: JSON.stringify(details) })],
};

/** The operator's subscribers as CSV, read page by page. */
export function csvOfSubscribers(handle: DatabaseHandle, reader: CsvTarget): AsyncGenerator<string, void> {
  const pages = pagesById(
    (page) => listKeysForExport(handle, page),
    (row) => row.keyId,
  );
  return csvOf(SUBSCRIBERS, pages, reader);
}

export function csvOfPaymentDeliveries(
  handle: DatabaseHandle,
  reader: CsvTarget,
): AsyncGenerator<string, void> {
  const pages = pagesById(
    (page) => listPaymentDeliveriesForExport(handle, page),
    (row) => row.id,
  );
  return csvOf(DELIVERIES, pages, reader);
}

export function csvOfAudit(handle: DatabaseHandle, reader: CsvTarget): AsyncGenerator<string, void> {
  const pages = pagesById(
    (page) => listAuditForExport(handle, page),
    (row) => row.id,
  );
  return csvOf(AUDIT, pages, reader);
}
