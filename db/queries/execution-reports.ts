import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { executionChanges, executions, rejectedReports } from "@/db/schema";

type Stored = typeof executions.$inferSelect;

/** The first report of a position: all columns of an execution that are not generated when it is stored. */
export interface NewExecution extends Omit<Stored, "id" | "createdAt" | "updatedAt" | "openedAt"> {
  /** Opening time; null: now, by the database's clock. */
  openedAt: Date | null;
}

/** Stores the first report of a position. Returns its id, or null if the subscription has already reported this ticket. */
export async function insertExecution(handle: DatabaseHandle, row: NewExecution): Promise<number | null> {
  const [inserted] = await handle
    .insert(executions)
    .values({
      ...row,
      openedAt: row.openedAt ?? sql`now()`,
      // The id of an unknown signal is stored as null.
      predId: row.predId === null ? null : sql`(select id from signals where id = ${row.predId})`,
    })
    .onConflictDoNothing({ target: [executions.subscriptionId, executions.ticket] })
    .returning({ id: executions.id });
  return inserted?.id ?? null;
}

/** The stored row of a subscription's ticket with its version, which changes with every update; null: none. */
export async function findExecutionByTicket(handle: DatabaseHandle, subscriptionId: number, ticket: bigint) {
  const [row] = await handle
    .select({ ...getTableColumns(executions), version: sql<string>`xmin::text` })
    .from(executions)
    .where(and(eq(executions.subscriptionId, subscriptionId), eq(executions.ticket, ticket)));
  return row ?? null;
}

/** Optional details of a position. */
export type ExecutionDetails = Pick<
  Stored,
  "volume" | "commission" | "swap" | "currency" | "magic" | "comment"
>;

/** The fields that a repeated report may write. */
export type ExecutionChange = Partial<
  Pick<Stored, "closedAt" | "exitPrice" | "pnl" | "result" | keyof ExecutionDetails>
>;

/**
 * Writes new values of an execution, and a row in `execution_changes` with the former and the new ones. Returns false and
 * writes nothing if the execution's version has changed since it was read. A single statement, so that no lock is held
 * between statements.
 */
export async function changeExecution(
  handle: DatabaseHandle,
  { id, version }: { id: number; version: string },
  change: {
    before: ExecutionChange;
    after: ExecutionChange;
    /** Whether the execution's reported times contradict each other or the time of a report, after this update. */
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

/** Stores a rejected report with the reasons, which the subscriber can read. */
export async function insertRejectedReport(
  handle: DatabaseHandle,
  row: typeof rejectedReports.$inferInsert,
): Promise<void> {
  await handle.insert(rejectedReports).values(row);
}

/** A subscription's newest rejected reports with the reasons, newest first. */
export async function listRejectedReports(handle: DatabaseHandle, subscriptionId: number, limit: number) {
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
