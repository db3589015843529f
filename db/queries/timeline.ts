import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { idInReference } from "./audit";
import { columns, json, type Row, text, timestamp } from "./columns";

export const TIMELINE_KINDS = ["payment", "key", "mail", "execution", "refusal"] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

const ENTRY = columns({
  kind: text<TimelineKind>("kind"),
  at: timestamp("at"),
  /** `at` as text in microseconds: the value of `before` for the next page. */
  cursor: text(`to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`),
  /** What happened, as a word that depends on `kind`, such as `opened` or an audit action. */
  what: text("what"),
  /** Object of the event, such as `key/17`. */
  target: text("target"),
  facts: json<Record<string, unknown>>("facts"),
});
export type TimelineEntry = Row<typeof ENTRY>;

/** SQL: the newest events of one kind. It reads index ranges, so that a long history costs no more than a short one. */
function arm(kind: TimelineKind, subscriptionId: number, before: string, limit: number): SQL {
  const until = sql`${before}::timestamptz`;
  switch (kind) {
    case "payment":
      return sql`(select 'payment' as kind, created_at as at, coalesce(effect, state) as what, 'invoice/' || invoice_id as target,
          jsonb_build_object('plan', plan_tier, 'expiresAt', expires_at) as facts
          from invoices where subscription_id = ${subscriptionId} and created_at < ${until}
          order by created_at desc fetch first ${limit} rows with ties)
        union all
        (select 'payment', ended_at, 'ended', 'invoice/' || invoice_id, jsonb_build_object('by', ended_by)
          from invoices where subscription_id = ${subscriptionId} and ended_at < ${until}
          order by ended_at desc fetch first ${limit} rows with ties)`;
    case "key":
      return sql`(select 'key' as kind, at, action as what, target, details || jsonb_build_object('actor', actor, 'address', address,
            'person', (select name from administrators where id = ${idInReference("administrator", sql`actor`)})) as facts
          from admin_audit where subscription_id = ${subscriptionId} and at < ${until}
          order by at desc fetch first ${limit} rows with ties)`;
    case "mail":
      return sql`(select 'mail' as kind, created_at as at, kind as what, 'mail/' || id as target,
          jsonb_build_object('status', status, 'sentAt', sent_at, 'error', last_error_code) as facts
          from mail_outbox where subscription_id = ${subscriptionId} and created_at < ${until}
          order by created_at desc fetch first ${limit} rows with ties)`;
    case "execution":
      return sql`(select 'execution' as kind, opened_at as at, case when closed_at is null then 'opened' else 'closed' end as what,
          'ticket/' || ticket as target,
          jsonb_build_object('symbol', symbol, 'timeframe', timeframe, 'signal', signal, 'closedAt', closed_at,
            'pnl', pnl::text, 'result', result) as facts
          from executions where subscription_id = ${subscriptionId} and opened_at < ${until}
          order by opened_at desc fetch first ${limit} rows with ties)`;
    case "refusal":
      return sql`(select 'refusal' as kind, at, code as what, 'request/' || request_id as target,
          jsonb_build_object('errors', errors) as facts
          from rejected_reports where subscription_id = ${subscriptionId} and at < ${until}
          order by at desc fetch first ${limit} rows with ties)`;
  }
}

/**
 * Events of a subscriber before an instant (ISO 8601, to the microsecond), newest first: payments, keys and actions,
 * mails, executions, refused reports. Events of the same instant are never split, so a page may be longer than `limit`.
 */
export async function listTimeline(
  handle: DatabaseHandle,
  query: { subscriptionId: number; kinds: readonly TimelineKind[]; before: string; limit: number },
): Promise<TimelineEntry[]> {
  const arms = query.kinds.map((kind) => arm(kind, query.subscriptionId, query.before, query.limit));
  return ENTRY.all(
    handle,
    sql`
    select ${ENTRY.list}
      from (${sql.join(arms, sql` union all `)}) as event
     order by event.at desc fetch first ${query.limit} rows with ties`,
  );
}
