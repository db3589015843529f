import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { PlanTier } from "@/lib/vocabulary";
import { columns, number } from "./columns";
import { holdsPlan, isInForce, keyColumnsAs } from "./key-state";

/**
 * The recipients of a notice: for each address, its newest subscription that has a working key of this plan (null: of
 * any) and, with `wantIncidents`, wants mails about incidents. Excludes addresses that unsubscribed from notices in any
 * of their subscriptions. Scans both tables, which are small.
 */
const people = (plan: PlanTier | null, wantIncidents = false) => sql`
  select distinct on (s.email_normalized) s.id, s.email, s.user_name
    from subscriptions s
    join api_keys k on k.subscription_id = s.id and ${isInForce(keyColumnsAs("k"))}
   where s.email_normalized is not null and s.id <> 0
     and not exists (
           select 1 from subscriptions d
            where d.email_normalized = s.email_normalized and d.preferences ->> 'mailNotices' = 'false')
     and ${plan === null ? sql`true` : holdsPlan(plan, keyColumnsAs("k"))}
     and ${wantIncidents ? sql`s.preferences ->> 'mailIncidents' = 'true'` : sql`true`}
   order by s.email_normalized, s.id desc`;

const COUNT = columns({ n: number("count(*)::int") });

/** Number of people who would get a notice to the holders of this plan, or to all subscribers (null). */
export async function countNoticeRecipients(handle: DatabaseHandle, plan: PlanTier | null): Promise<number> {
  return (await COUNT.one(handle, sql`select ${COUNT.list} from (${people(plan)}) people`)).n;
}

/** Queues a notice for each recipient, once per `noticeKey`. Returns the number of new mails. */
export async function insertNotices(
  handle: DatabaseHandle,
  notice: {
    noticeKey: string;
    plan: PlanTier | null;
    title: string;
    text: string;
    /** Only recipients who want incidents by mail. */
    wantIncidents?: boolean;
  },
): Promise<number> {
  const { noticeKey, plan, title, text, wantIncidents } = notice;
  const [row] = await handle.execute<{ n: number }>(sql`
    with people as (${people(plan, wantIncidents)}), fresh as (
      insert into mail_outbox (dedupe_key, kind, subscription_id, recipient, props)
      select ${`notice/${noticeKey}/`}::text || id, 'notice', id, email,
             jsonb_build_object('userName', user_name, 'title', ${title}::text, 'text', ${text}::text)
        from people order by id
      on conflict (dedupe_key) do nothing returning 1)
    select count(*)::int as n, pg_notify('worker', 'mail') from fresh`);
  return row?.n ?? 0;
}
