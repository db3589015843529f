import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
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

/** The stored row of a ticket of this subscription, and its version: another one after every change; null when there is none. */
export async function findExecution(handle: Handle, subscriptionId: number, ticket: bigint) {
  const [row] = await handle
    .select({ ...getTableColumns(executions), version: sql<string>`xmin::text` })
    .from(executions)
    .where(and(eq(executions.subscriptionId, subscriptionId), eq(executions.ticket, ticket)));
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

/**
 * Writes the new values and the audit row with the former ones, unless the row is no longer of the version that was read:
 * then it writes nothing and returns false. One statement: nothing is locked while the service has something else to do.
 */
export async function changeExecution(
  handle: Handle,
  { id, version }: { id: number; version: string },
  change: {
    before: ExecutionChange;
    after: ExecutionChange;
    /** Whether the times contradict each other once this is written. */
    clockSuspect: boolean;
    keyId: number;
    requestId: string;
  },
): Promise<boolean> {
  const { before, after } = executionChanges;
  const changed = handle
    .update(executions)
    .set({ ...change.after, clockSuspect: change.clockSuspect, updatedAt: sql`now()` })
    .where(and(eq(executions.id, id), sql`${executions}.xmin = ${version}::xid`))
    .returning({ id: executions.id });
  const written = await handle.execute(sql`
    with changed as ${changed}
    insert into execution_changes (execution_id, before, after, key_id, request_id)
    select id, ${sql.param(change.before, before)}::jsonb, ${sql.param(change.after, after)}::jsonb,
           ${change.keyId}::integer, ${change.requestId}::text
      from changed
    returning execution_id`);
  return written.length > 0;
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
