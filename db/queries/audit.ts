import { and, asc, type Column, desc, eq, getTableColumns, gt, lt, lte, type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { adminAudit, administrators, auditWebhookQueue } from "@/db/schema";
import { columns, number, timestampOrNull } from "./columns";
import type { ExportPage } from "./export-pages";

/** Writes audit entries. With `isPosted` they are also queued to be sent to AUDIT_WEBHOOK_URL. */
export async function insertAudits(
  handle: DatabaseHandle,
  rows: readonly (typeof adminAudit.$inferInsert)[],
  isPosted: boolean,
): Promise<void> {
  for (let from = 0; from < rows.length; from += AUDITS_A_STATEMENT) {
    const insert = handle.insert(adminAudit).values(rows.slice(from, from + AUDITS_A_STATEMENT));
    if (!isPosted) await insert;
    else await handle.insert(auditWebhookQueue).values(await insert.returning({ auditId: adminAudit.id }));
  }
}

const AUDITS_A_STATEMENT = 1_000;

export interface AuditFilter {
  action?: string | undefined;
  /** One actor, such as `administrator/3`; `admin-session` and `subscriber` match all actors of that kind. */
  actor?: string | undefined;
  /** A day in UTC, `2026-11-27`. */
  day?: string | undefined;
  /** Only entries that name this subscription. */
  subscriptionId?: number | undefined;
  /** Only rows with a lower id: the end of the previous page. */
  beforeId?: number | undefined;
}

/** SQL: the id in a reference such as `key/17`, if it is of this kind; else null. */
export const idInReference = (kind: string, name: Column | SQL): SQL =>
  sql`substring(${name} from ${sql.raw(`'^${kind}/([0-9]{1,9})$'`)})::int`;

/** Actor kinds that the filter takes without an id and that then match all actors of the kind. Other values match exactly. */
const KINDS_OF_MANY = ["admin-session", "subscriber"] as const;

function isActor(actor: string): SQL {
  if (!KINDS_OF_MANY.some((kind) => kind === actor)) return eq(adminAudit.actor, actor);
  return sql`${adminAudit.actor} like ${`${actor}/%`}`;
}

/** The newest audit entries that match the filter, newest first. */
export async function listAudit(handle: DatabaseHandle, filter: AuditFilter, limit: number) {
  return handle
    .select({
      ...getTableColumns(adminAudit),
      /** Name of the administrator; null for other actors. */
      person: sql<
        string | null
      >`(select name from administrators where id = ${idInReference("administrator", adminAudit.actor)})`,
      /** Name of the affected subscriber; null: none. */
      subscriber: sql<
        string | null
      >`(select user_name from subscriptions where id = coalesce(${adminAudit.subscriptionId}, ${idInReference("subscri(?:ber|ption)", adminAudit.target)}))`,
      /** Name of the affected administrator. */
      targetPerson: sql<
        string | null
      >`(select name from administrators where id = ${idInReference("administrator", adminAudit.target)})`,
    })
    .from(adminAudit)
    .where(
      and(
        filter.action ? eq(adminAudit.action, filter.action) : undefined,
        filter.actor ? isActor(filter.actor) : undefined,
        filter.day
          ? sql`${adminAudit.at} >= ${filter.day}::date::timestamp at time zone 'UTC'
              and ${adminAudit.at} < (${filter.day}::date + 1)::timestamp at time zone 'UTC'`
          : undefined,
        filter.subscriptionId === undefined
          ? undefined
          : eq(adminAudit.subscriptionId, filter.subscriptionId),
        filter.beforeId === undefined ? undefined : lt(adminAudit.id, filter.beforeId),
      ),
    )
    .orderBy(desc(adminAudit.id))
    .limit(limit);
}

export type AuditRow = Awaited<ReturnType<typeof listAudit>>[number];

/** Every action that the audit log contains, in alphabetical order. A loose index scan: one step per distinct action. */
export async function listAuditActions(handle: DatabaseHandle): Promise<string[]> {
  const rows = await handle.execute<{ action: string }>(sql`
    with recursive step as (
      (select action from admin_audit order by action limit 1)
      union all
      select (select action from admin_audit where action > step.action order by action limit 1)
        from step where step.action is not null)
    select action from step where action is not null`);
  return rows.map((row) => row.action);
}

/** All administrators, removed ones included, by name. */
export async function listAllAdministrators(handle: DatabaseHandle): Promise<{ id: number; name: string }[]> {
  return handle
    .select({ id: administrators.id, name: administrators.name })
    .from(administrators)
    .orderBy(asc(administrators.name), asc(administrators.id));
}

/** A page of the audit log for the operator's export, oldest first. */
export async function listAuditForExport(handle: DatabaseHandle, { afterId, limit }: ExportPage) {
  return handle
    .select()
    .from(adminAudit)
    .where(gt(adminAudit.id, afterId))
    .orderBy(asc(adminAudit.id))
    .limit(limit);
}

/**
 * Leases the oldest queued audit entry for a minute and counts the attempt; null: none is queued, or the oldest is not due
 * yet. Later entries wait for the oldest, so that all arrive in order.
 */
export async function leaseQueuedAuditEntry(handle: DatabaseHandle) {
  const oldest = sql`(select audit_id from audit_posts order by audit_id limit 1 for update)`;
  const [post] = await handle
    .update(auditWebhookQueue)
    .set({
      attempts: sql`${auditWebhookQueue.attempts} + 1`,
      nextAttemptAt: sql`now() + interval '1 minute'`,
    })
    .where(and(eq(auditWebhookQueue.auditId, oldest), lte(auditWebhookQueue.nextAttemptAt, sql`now()`)))
    .returning({ auditId: auditWebhookQueue.auditId, attempts: auditWebhookQueue.attempts });
  if (post === undefined) return null;
  const [entry] = await handle.select().from(adminAudit).where(eq(adminAudit.id, post.auditId));
  return entry ? { ...post, entry } : null;
}
export type LeasedAuditEntry = NonNullable<Awaited<ReturnType<typeof leaseQueuedAuditEntry>>>;

/** Removes a delivered audit entry from the queue. The audit log keeps it. */
export async function deleteQueuedAuditEntry(handle: DatabaseHandle, auditId: number): Promise<void> {
  await handle.delete(auditWebhookQueue).where(eq(auditWebhookQueue.auditId, auditId));
}

/** Schedules another attempt, after `afterSeconds`, for a queued audit entry that could not be delivered. */
export async function postponeQueuedAuditEntry(
  handle: DatabaseHandle,
  auditId: number,
  { lastCode, afterSeconds }: { lastCode: string; afterSeconds: number },
): Promise<void> {
  await handle
    .update(auditWebhookQueue)
    .set({ lastCode, nextAttemptAt: sql`now() + make_interval(secs => ${afterSeconds})` })
    .where(eq(auditWebhookQueue.auditId, auditId));
}

const WAITING = columns({
  pending: number("count(*)::int"),
  oldestPendingAt: timestampOrNull("(select created_at from audit_posts order by audit_id limit 1)"),
});

/** Number of queued audit entries, and the time at which the oldest was queued. */
export async function readAuditQueueState(handle: DatabaseHandle) {
  return WAITING.one(handle, sql`select ${WAITING.list} from audit_posts`);
}
