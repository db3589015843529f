import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";

/** Longest wait for other transactions on the same row, invoice or buyer: far longer than many consecutive ones take. */
const LOCK_TIMEOUT_MS = 1_500;

/**
 * A statement that raises the transaction's lock timeout above that of its pool, which is meant for locked tables.
 * `locks` are taken afterwards in their order.
 *
 * A locked table still fails at once: the condition names the tables of payments and rotations without reading them,
 * and PostgreSQL locks these before it executes.
 */
export function raiseLockTimeout(...locks: SQL[]): SQL {
  const columns = [sql`set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`, ...locks];
  return sql`
    select ${sql.join(columns, sql`, `)}
     where true
        or exists (select from subscriptions, api_keys, invoices, payment_deliveries, mail_outbox, admin_audit)`;
}

/** Sets this transaction's statement timeout to `ms`, instead of the limit of its pool. */
export async function setStatementTimeout(tx: Transaction, ms: number): Promise<void> {
  await tx.execute(sql`select set_config('statement_timeout', ${String(Math.max(1, Math.floor(ms)))}, true)`);
}
