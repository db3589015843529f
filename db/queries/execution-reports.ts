import { and, desc, eq, sql } from "drizzle-orm";
import type { Handle, Transaction } from "@/db/client";
import { executionChanges, executions, rejectedReports } from "@/db/schema";

type Stored = typeof executions.$inferSelect;

/** What a first report says; every column that is not made here. */
export interface OpenExecution extends Omit<Stored, "id" | "createdAt" | "updatedAt" | "openedAt"> {
  /** null: now, by the database's clock. */
  openedAt: Date | null;
}

/** Inserts a first report. Returns its id, or null when the subscription has reported this ticket before. */
export async function insertExecution(handle: Handle, row: OpenExecution): Promise<number | null> {
  const [inserted] = await handle
    .insert(executions)
    .values({
      ...row,
      openedAt: row.openedAt ?? sql`now()`,
      // An id that names no signal is stored as none.
      predId: row.predId === null ? null : sql`(select id from signals where id = ${row.predId})`,
    })
    .onConflictDoNothing({ target: [executions.subscriptionId, executions.ticket] })
    .returning({ id: executions.id });
  return inserted?.id ?? null;
}

/** The stored row of a ticket of this subscription, locked until the transaction ends; null when there is none. */
export async function lockExecution(tx: Transaction, subscriptionId: number, ticket: bigint) {
  const [row] = await tx
    .select()
    .from(executions)
    .where(and(eq(executions.subscriptionId, subscriptionId), eq(executions.ticket, ticket)))
    .for("update");
  return row ?? null;
}

/** What clients that tell more say of a position. */
export type ExecutionDetails = Pick<
  Stored,
  "volume" | "commission" | "swap" | "currency" | "magic" | "comment"
>;

/** The fields that a repeated report may write. */
export type ExecutionChange = Partial<
  Pick<Stored, "closedAt" | "exitPrice" | "pnl" | "result" | keyof ExecutionDetails>
>;

/** Writes the new values and the audit row with the former ones. */
export async function updateExecution(
  tx: Transaction,
  executionId: number,
  change: { before: ExecutionChange; after: ExecutionChange; keyId: number; requestId: string },
): Promise<void> {
  await tx
    .update(executions)
    .set({ ...change.after, updatedAt: sql`now()` })
    .where(eq(executions.id, executionId));
  await tx.insert(executionChanges).values({ executionId, ...change });
}

/** Keeps a refused report with its reason for the subscriber to see. */
export async function insertRejectedReport(
  handle: Handle,
  row: typeof rejectedReports.$inferInsert,
): Promise<void> {
  await handle.insert(rejectedReports).values(row);
}

/** The newest reports that were refused, with their reasons. */
export async function listRejectedReports(handle: Handle, subscriptionId: number, limit: number) {
  return handle
    .select({
      id: rejectedReports.id,
      code: rejectedReports.code,
      errors: rejectedReports.errors,
      bodyExcerpt: rejectedReports.bodyExcerpt,
      requestId: rejectedReports.requestId,
      at: rejectedReports.at,
    })
    .from(rejectedReports)
    .where(eq(rejectedReports.subscriptionId, subscriptionId))
    .orderBy(desc(rejectedReports.at))
    .limit(limit);
}
