import { and, asc, desc, eq, getTableColumns, gt, lt, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { adminAudit } from "@/db/schema";
import type { ExportPage } from "./export-pages";

/** Keeps what was done, in the transaction of what it tells about. */
export async function insertAudit(handle: Handle, row: typeof adminAudit.$inferInsert): Promise<void> {
  await handle.insert(adminAudit).values(row);
}

/** The same for many acts of one kind. */
export async function insertAudits(
  handle: Handle,
  rows: readonly (typeof adminAudit.$inferInsert)[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += AUDITS_A_STATEMENT)
    await handle.insert(adminAudit).values(rows.slice(from, from + AUDITS_A_STATEMENT));
}

const AUDITS_A_STATEMENT = 1_000;

export interface AuditFilter {
  action?: string | undefined;
  /** Rows with a lower id only: the place where the page before ended. */
  beforeId?: number | undefined;
}

/** The audit log, newest first. */
export async function listAudit(handle: Handle, filter: AuditFilter, limit: number) {
  return handle
    .select({
      ...getTableColumns(adminAudit),
      /** The name of an administrator; null for everybody else. */
      person: sql<
        string | null
      >`(select name from administrators where 'administrator/' || id = ${adminAudit.actor})`,
    })
    .from(adminAudit)
    .where(
      and(
        filter.action ? eq(adminAudit.action, filter.action) : undefined,
        filter.beforeId === undefined ? undefined : lt(adminAudit.id, filter.beforeId),
      ),
    )
    .orderBy(desc(adminAudit.id))
    .limit(limit);
}

export type AuditRow = Awaited<ReturnType<typeof listAudit>>[number];

/** Every action that was ever recorded; a loose index scan, one step an action. */
export async function listAuditActions(handle: Handle): Promise<string[]> {
  const rows = await handle.execute<{ action: string }>(sql`
    with recursive step as (
      (select action from admin_audit order by action limit 1)
      union all
      select (select action from admin_audit where action > step.action order by action limit 1)
        from step where step.action is not null)
    select action from step where action is not null`);
  return rows.map((row) => row.action);
}

/** The audit log, oldest first. */
export async function listAuditForExport(handle: Handle, { afterId, limit }: ExportPage) {
  return handle
    .select()
    .from(adminAudit)
    .where(gt(adminAudit.id, afterId))
    .orderBy(asc(adminAudit.id))
    .limit(limit);
}
