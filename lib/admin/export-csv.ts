import type { Handle } from "@/db/client";
import {
  type ExportPage,
  listAuditForExport,
  listDeliveriesForExport,
  listExecutionsForExport,
  listKeysForExport,
} from "@/db/queries/admin-exports";
import { type CsvCell, csvRecord } from "@/lib/wire/csv";

const ROWS_PER_PAGE = 2_000;

type Columns<Row> = Record<string, (row: Row) => CsvCell>;

/** A table as CSV, chunk by chunk; the first one is the header. Nothing is held but one page. */
async function* csvOf<Row extends { id: number }>(
  list: (page: ExportPage) => Promise<Row[]>,
  columns: Columns<Row>,
): AsyncGenerator<string, void> {
  yield csvRecord(Object.keys(columns).map((text) => ({ text })));
  const cells = Object.values(columns);
  let afterId = -1;
  for (;;) {
    const rows = await list({ afterId, limit: ROWS_PER_PAGE });
    if (rows.length > 0) yield rows.map((row) => csvRecord(cells.map((cell) => cell(row)))).join("");
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_PER_PAGE) return;
    afterId = last.id;
  }
}

type Row<F extends (handle: Handle, page: ExportPage) => Promise<unknown[]>> = Awaited<ReturnType<F>>[number];

const list = (values: string[] | null): CsvCell => ({ text: values?.join(" ") ?? null });

const SUBSCRIBERS: Columns<Row<typeof listKeysForExport>> = {
  key_id: (row) => ({ number: row.id }),
  subscriber_id: (row) => ({ number: row.subscriptionId }),
  user_name: (row) => ({ text: row.userName }),
  email: (row) => ({ text: row.email }),
  plan_tier: (row) => ({ text: row.planTier }),
  api_key_hint: (row) => ({ text: row.hint }),
  expires_at: (row) => ({ at: row.expiresAt }),
  revoked_at: (row) => ({ at: row.revokedAt }),
  rotated_at: (row) => ({ at: row.rotatedAt }),
  symbols_allowed: (row) => list(row.symbolsAllowed),
  tfs_allowed: (row) => list(row.tfsAllowed),
  rate_limit_per_min: (row) => ({ number: row.rateLimitPerMin }),
  last_seen_at: (row) => ({ at: row.lastSeenAt }),
  created_at: (row) => ({ at: row.createdAt }),
  notes: (row) => ({ text: row.notes }),
};

const EXECUTIONS: Columns<Row<typeof listExecutionsForExport>> = {
  exec_id: (row) => ({ number: row.id }),
  subscriber_id: (row) => ({ number: row.subscriptionId }),
  ticket: (row) => ({ number: row.ticket }),
  symbol: (row) => ({ text: row.symbol }),
  timeframe: (row) => ({ text: row.timeframe }),
  signal: (row) => ({ text: row.signal }),
  confidence: (row) => ({ number: row.confidence }),
  opened_at: (row) => ({ at: row.openedAt }),
  closed_at: (row) => ({ at: row.closedAt }),
  entry_price: (row) => ({ number: row.entryPrice }),
  exit_price: (row) => ({ number: row.exitPrice }),
  pnl: (row) => ({ number: row.pnl }),
  result: (row) => ({ text: row.result }),
};

const DELIVERIES: Columns<Row<typeof listDeliveriesForExport>> = {
  delivery_id: (row) => ({ number: row.id }),
  received_at: (row) => ({ at: row.receivedAt }),
  event: (row) => ({ text: row.event }),
  invoice_id: (row) => ({ text: row.invoiceId }),
  buyer: (row) => ({ text: row.emailHash === null ? null : `email#${row.emailHash}` }),
  action: (row) => ({ text: row.action }),
  reason: (row) => ({ text: row.reason }),
  flags: (row) => list(row.flags),
  times_received: (row) => ({ number: row.nReceived }),
  reapplied_at: (row) => ({ at: row.reappliedAt }),
  reviewed_at: (row) => ({ at: row.reviewedAt }),
};

const AUDIT: Columns<Row<typeof listAuditForExport>> = {
  id: (row) => ({ number: row.id }),
  at: (row) => ({ at: row.at }),
  actor: (row) => ({ text: row.actor }),
  action: (row) => ({ text: row.action }),
  target: (row) => ({ text: row.target }),
  subscriber_id: (row) => ({ number: row.subscriptionId }),
  address: (row) => ({ text: row.address }),
  request_id: (row) => ({ text: row.requestId }),
  details: (row) => ({ text: JSON.stringify(row.details) }),
};

export const EXPORT_NAMES = ["subscribers", "executions", "deliveries", "audit"] as const;
export type ExportName = (typeof EXPORT_NAMES)[number];

/** What the administrator can take along, by name. */
export const EXPORTS: Record<ExportName, (handle: Handle) => AsyncGenerator<string, void>> = {
  subscribers: (handle) => csvOf((page) => listKeysForExport(handle, page), SUBSCRIBERS),
  executions: (handle) => csvOf((page) => listExecutionsForExport(handle, page), EXECUTIONS),
  deliveries: (handle) => csvOf((page) => listDeliveriesForExport(handle, page), DELIVERIES),
  audit: (handle) => csvOf((page) => listAuditForExport(handle, page), AUDIT),
};
