import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";

/** Longest wait for a lock that other transactions hold on the same row, invoice or buyer. Even a queue of them is faster. */
const LOCK_TIMEOUT_MS = 1_500;

/**
 * A statement that raises the transaction's lock timeout above that of its pool, and then takes `locks` in their order.
 *
 * If a table is locked, for example by a migration, the statement still fails at once, by the pool's short timeout: its
 * condition names the tables of payments and rotations without reading them, and PostgreSQL locks all named tables
 * before it executes the statement and raises the timeout.
 */
export function raiseLockTimeout(...locks: SQL[]): SQL {
  const columns = [sql`set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`, ...locks];
  return sql`
    select ${sql.join(columns, sql`, `)}
     where true
        or exists (select from subscriptions, api_keys, invoices, payment_deliveries, mail_outbox, admin_audit)`;
}

/** Sets this transaction's statement timeout to `ms`, in place of the limit of its pool. */
export async function setStatementTimeout(tx: Transaction, ms: number): Promise<void> {
  await tx.execute(sql`select set_config('statement_timeout', ${String(Math.max(1, Math.floor(ms)))}, true)`);
}
