import { and, asc, desc, eq, getTableColumns, gt, lt, lte, sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { adminAudit, auditPosts } from "@/db/schema";
import { atOrNull, columns, number } from "./columns";
import type { ExportPage } from "./export-pages";

/**
 * Keeps what was done, in the transaction of what it tells about; with `isPosted` each entry also waits for the operator's
 * own server.
 */
export async function insertAudits(
  handle: Handle,
  rows: readonly (typeof adminAudit.$inferInsert)[],
  isPosted: boolean,
): Promise<void> {
  for (let from = 0; from < rows.length; from += AUDITS_A_STATEMENT) {
    const insert = handle.insert(adminAudit).values(rows.slice(from, from + AUDITS_A_STATEMENT));
    if (!isPosted) await insert;
    else await handle.insert(auditPosts).values(await insert.returning({ auditId: adminAudit.id }));
  }
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

/**
 * Takes the oldest entry that waits for the operator's server, for a minute; null when none does, or when it is not due: the
 * entries behind it wait, so that they arrive in their order.
 */
export async function leaseAuditPost(handle: Handle) {
  const oldest = sql`(select audit_id from audit_posts order by audit_id limit 1 for update)`;
  const [post] = await handle
    .update(auditPosts)
    .set({ attempts: sql`${auditPosts.attempts} + 1`, nextAttemptAt: sql`now() + interval '1 minute'` })
    .where(and(eq(auditPosts.auditId, oldest), lte(auditPosts.nextAttemptAt, sql`now()`)))
    .returning({ auditId: auditPosts.auditId, attempts: auditPosts.attempts });
  if (post === undefined) return null;
  const [entry] = await handle.select().from(adminAudit).where(eq(adminAudit.id, post.auditId));
  return entry ? { ...post, entry } : null;
}
export type LeasedAuditPost = NonNullable<Awaited<ReturnType<typeof leaseAuditPost>>>;

/** The entry was taken: it waits no more. */
export async function deleteAuditPost(handle: Handle, auditId: number): Promise<void> {
  await handle.delete(auditPosts).where(eq(auditPosts.auditId, auditId));
}

/** The entry was not taken: it is tried again after a pause. */
export async function postponeAuditPost(
  handle: Handle,
  auditId: number,
  { lastCode, afterSeconds }: { lastCode: string; afterSeconds: number },
): Promise<void> {
  await handle
    .update(auditPosts)
    .set({ lastCode, nextAttemptAt: sql`now() + make_interval(secs => ${afterSeconds})` })
    .where(eq(auditPosts.auditId, auditId));
}

const WAITING = columns({
  pending: number("count(*)::int"),
  oldestPendingAt: atOrNull("(select created_at from audit_posts order by audit_id limit 1)"),
});

/** How many entries wait for the operator's server, and since when the oldest does. */
export async function countAuditPosts(handle: Handle) {
  return WAITING.one(handle, sql`select ${WAITING.list} from audit_posts`);
}
