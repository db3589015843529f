import { and, eq, isNull, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { sessions } from "@/db/schema";
import type { AdminRole } from "@/lib/vocabulary";
import { columns, number, type Row, safeInteger, text, timestamp, timestampOrNull } from "./columns";
import { isInForce, keyColumnsAs } from "./key-state";
import { newestAccessSubquery, SUBSCRIBER_ACCESS_COLUMNS, type SubscriberAccess } from "./sessions";

/** Lifetime in minutes of a view, in which an administrator sees a subscriber's portal. */
export const ADMIN_VIEW_MINUTES = 30;

export interface OpenedAdminPortalView {
  viewId: string;
  subscriptionId: number;
}

/** Whether a subscription has a working key. Without one it has no portal to view. */
export async function hasKeyInForce(handle: DatabaseHandle, subscriptionId: number): Promise<boolean> {
  const rows = await handle.execute(sql`
    select 1 from api_keys k where k.subscription_id = ${subscriptionId} and ${isInForce(keyColumnsAs("k"))} limit 1`);
  return rows.length > 0;
}

/**
 * Opens a view of a subscriber's portal; only the hash of its token is stored. The administrator's session must not have
 * another open view.
 */
export async function insertAdminPortalView(
  tx: Transaction,
  view: {
    tokenHash: string;
    openedBy: string;
    administratorId: number | null;
    subscriptionId: number;
    address: string | null;
  },
): Promise<{ viewId: string; until: Date }> {
  const [row] = await tx
    .insert(sessions)
    .values({ ...view, role: "view", expiresAt: sql`now() + make_interval(mins => ${ADMIN_VIEW_MINUTES})` })
    .returning({ viewId: sessions.id, until: sessions.expiresAt });
  if (!row) throw new Error("the insert returned no view");
  return row;
}

/** Ends the open portal view of an administrator's session and returns it; null: none. Concurrent calls are serialised. */
export async function endAdminPortalView(
  tx: Transaction,
  openedBy: string,
): Promise<OpenedAdminPortalView | null> {
  await tx.execute(sql`select 1 from sessions where id = ${openedBy} for update`);
  const [row] = await tx
    .update(sessions)
    .set({ endedAt: sql`now()` })
    .where(and(eq(sessions.openedBy, openedBy), isNull(sessions.endedAt)))
    .returning({ viewId: sessions.id, subscriptionId: sessions.subscriptionId });
  return row?.subscriptionId === null || row === undefined
    ? null
    : { viewId: row.viewId, subscriptionId: row.subscriptionId };
}

const FOUND = columns({
  viewId: text("s.id"),
  until: timestamp("s.expires_at"),
  /** The administrator's current role; `owner` if the session was opened with the administrator secret. */
  role: text<AdminRole>("coalesce(p.role, 'owner')"),
  signals: safeInteger("v.signals"),
  executions: safeInteger("coalesce(x.version, 0)"),
  subscriptionId: number("a.id"),
  keyId: number("a.key_id"),
});
const GIVEN = columns(SUBSCRIBER_ACCESS_COLUMNS);

export interface FoundAdminPortalView {
  viewId: string;
  until: Date;
  role: AdminRole;
  versions: { signals: number; executions: number };
  access: SubscriberAccess;
}

/**
 * The portal view of a token with the subscriber's access, in one statement. Null if the view or the administrator's session
 * has ended or expired, the administrator was removed, or no key of the subscription works.
 */
export async function findAdminPortalView(
  handle: DatabaseHandle,
  tokenHash: string,
): Promise<FoundAdminPortalView | null> {
  const [raw] = await handle.execute(sql`
    select ${FOUND.list}, ${GIVEN.list}
      from sessions s
      join sessions o on o.id = s.opened_by and o.role = 'admin' and o.ended_at is null and o.expires_at > now()
      left join administrators p on p.id = s.administrator_id
      join state_versions v on true
      left join execution_versions x on x.subscription_id = s.subscription_id
      join lateral ${newestAccessSubquery(sql`true`)} a on true
     where s.token_hash = ${tokenHash} and s.role = 'view' and s.ended_at is null and s.expires_at > now()
       and (s.administrator_id is null or p.removed_at is null)`);
  if (!raw) return null;
  const { signals, executions, subscriptionId, keyId, ...view } = FOUND.decode(raw);
  return {
    ...view,
    versions: { signals, executions },
    access: { subscriptionId, keyId, ...GIVEN.decode(raw) },
  };
}

const LOOK = columns({
  at: timestamp("a.at"),
  /**
   * When the administrator closed the view or opened another one; null: it expired, ended with the session, or is still
   * open.
   */
  endedAt: timestampOrNull(`(select e.at from admin_audit e
    where e.subscription_id = a.subscription_id and e.action = 'portal.view_end'
      and e.details->>'view' = a.details->>'view' order by e.at limit 1)`),
  until: timestamp("(a.details->>'until')::timestamptz"),
});
export type OperatorVisit = Row<typeof LOOK>;

/** When the operator viewed a subscription's portal, newest first, from the audit log. */
export async function listPortalViewsByOperator(
  handle: DatabaseHandle,
  subscriptionId: number,
  limit: number,
): Promise<OperatorVisit[]> {
  return LOOK.all(
    handle,
    sql`
    select ${LOOK.list} from admin_audit a
     where a.subscription_id = ${subscriptionId} and a.action = 'portal.view'
     order by a.at desc limit ${limit}`,
  );
}
