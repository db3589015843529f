import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";

/** Longest wait for other transactions on the same row, invoice or buyer: far longer than many consecutive ones take. */
const LOCK_TIMEOUT_MS = 1_500;

/**
 * A statement that raises the transaction's lock timeout above that of its pool, which is meant for locked tables.
 * `locks` are taken afterwards in their order.
 *
 * A locked table still fails at once: the statement names the tables of payments and rotations, and PostgreSQL locks
 * these before it executes.
 */
export function raiseLockTimeout(...locks: SQL[]): SQL {
  const columns = [sql`set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`, ...locks];
  return sql`
    select ${sql.join(columns, sql`, `)}
      from (values (1)) one
      left join subscriptions on false
      left join api_keys on false
      left join invoices on false
      left join payment_deliveries on false
      left join mail_outbox on false
      left join admin_audit on false`;
}

/** Sets this transaction's statement timeout to `ms`, instead of the limit of its pool. */
export async function setStatementTimeout(tx: Transaction, ms: number): Promise<void> {
  await tx.execute(sql`select set_config('statement_timeout', ${String(Math.max(1, Math.floor(ms)))}, true)`);
}
