import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "@/db/client";

/** Longest wait for other transactions on the same row, invoice or buyer: far more than many of them in a row take. */
const LOCK_TIMEOUT_MS = 1_500;

/**
 * A statement after which its transaction waits longer for locks than its pool allows, which is meant for tables.
 * `locks` are taken after that and in their order.
 *
 * A locked table is told as soon as ever: the statement names the tables of payments and rotations, and PostgreSQL takes
 * their locks before it begins to work.
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

/** Ends a statement of this transaction that takes longer than `ms`, in place of the limit of its pool. */
export async function setStatementTimeout(tx: Transaction, ms: number): Promise<void> {
  await tx.execute(sql`select set_config('statement_timeout', ${String(Math.max(1, Math.floor(ms)))}, true)`);
}
