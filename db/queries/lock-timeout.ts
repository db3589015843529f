import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";

/** Lock timeout in ms of a transaction that may wait for several others of the same subscription, invoice or buyer. */
const LOCK_TIMEOUT_MS = 1_500;

/**
 * Returns a statement that raises the transaction's lock timeout to 1.5 s and then takes `locks` in their order. From
 * then on PostgreSQL may also reuse plans in this transaction: its statements and the checks of foreign keys look up single
 * rows, and planning each one took longer than executing it.
 *
 * If one of the tables in its condition is locked, for example by a migration, the statement fails by the pool's
 * shorter lock timeout. The condition only names these tables and reads none: PostgreSQL locks every named table before
 * it executes the statement, and so before the timeout is raised.
 */
export function lockWithRaisedTimeout(...locks: SQL[]): SQL {
  const columns = [
    sql`set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`,
    sql`set_config('plan_cache_mode', 'auto', true)`,
    ...locks,
  ];
  return sql`
    select ${sql.join(columns, sql`, `)}
     where true
        or exists (select from subscriptions, api_keys, invoices, payment_deliveries, mail_outbox, admin_audit)`;
}

/** Sets this transaction's statement timeout to `ms`, in place of the limit of its pool. */
export async function setStatementTimeout(tx: Transaction, ms: number): Promise<void> {
  await tx.execute(sql`select set_config('statement_timeout', ${String(Math.max(1, Math.floor(ms)))}, true)`);
}
