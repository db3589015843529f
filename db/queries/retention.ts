import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import type { RetainedKind } from "@/lib/vocabulary";
import { columns, number } from "./columns";
import { readSetting, writeSetting } from "./settings";

/** SQL: deletes the expired rows among the `limit` rows with the lowest ids. Ids grow with time, so these rows are oldest. */
const oldest = (table: string, at: string, before: SQL, limit: number) => {
  const name = sql.raw(table);
  return sql`delete from ${name} where id in (
    select id from (select id, ${sql.raw(at)} as at from ${name} order by id limit ${limit}) first where first.at < ${before})`;
};

/** By kind of data: a statement that deletes or clears at most `limit` rows that are older than `before`. */
const STATEMENTS: Record<RetainedKind, (before: SQL, limit: number) => SQL> = {
  "sign-in-links": (before, limit) => sql`
    delete from sign_in_tokens where token_hash in (
      select token_hash from sign_in_tokens where created_at < ${before} order by created_at limit ${limit})`,
  sessions: (before, limit) => sql`
    delete from sessions where id in (
      select id from sessions where least(ended_at, expires_at) < ${before}
       order by least(ended_at, expires_at) limit ${limit})`,
  "rejected-reports": (before, limit) => oldest("rejected_reports", "at", before, limit),
  "client-addresses": (before, limit) => sql`
    update key_heartbeats set address = null, client = null where key_id in (
      select key_id from key_heartbeats where last_seen_at < ${before} and num_nonnulls(address, client) > 0 limit ${limit})`,
  // A row covers a whole UTC day.
  fetches: (before, limit) => sql`
    delete from fetch_days where ctid = any(array(
      select ctid from fetch_days where day < ((${before}) at time zone 'UTC')::date order by day limit ${limit}))`,
  "untraded-signals": (before, limit) => sql`
    delete from untraded_signals where ctid = any(array(
      select ctid from untraded_signals where at < ${before} order by at limit ${limit}))`,
  "webhook-deliveries": (before, limit) => sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where state in ('sent', 'dead', 'dropped') and created_at < ${before}
       limit ${limit})`,
  "telegram-messages": (before, limit) => sql`
    delete from telegram_messages where id in (
      select id from telegram_messages
       where state in ('sent', 'doubtful', 'dead', 'dropped') and edit_due_at is null and created_at < ${before}
       limit ${limit})`,
  "channel-deliveries": (before, limit) => sql`
    delete from channel_deliveries where id in (
      select id from channel_deliveries
       where state in ('sent', 'doubtful', 'dead', 'dropped') and created_at < ${before} limit ${limit})`,
  "audit-addresses": (before, limit) => sql`
    update admin_audit set address = null where id in (
      select id from admin_audit where address is not null and at < ${before} order by at limit ${limit})`,
  // Only cleared: the row's dedupe key ensures that a mail is queued once, even if its cause is repeated later.
  mails: (before, limit) => sql`
    update mail_outbox set recipient = '', props = '{}', secret_encrypted = null where id in (
      select id from mail_outbox where recipient <> '' and status <> 'pending' and created_at < ${before}
       order by created_at limit ${limit})`,
  probes: (before, limit) => sql`
    delete from health_probes where minute in (
      select minute from health_probes where minute < ${before} order by minute limit ${limit})`,
  "feature-values": (before, limit) => sql`
    delete from feature_values v using (
      select old.slot_id, old.ts, old.model_v from slots s, lateral (
        select slot_id, ts, model_v from feature_values f where f.slot_id = s.id and f.ts < ${before}
         order by ts limit ${limit}) old
       limit ${limit}) gone
     where v.slot_id = gone.slot_id and v.ts = gone.ts and v.model_v = gone.model_v`,
  "payment-payloads": (before, limit) => oldest("payment_deliveries", "received_at", before, limit),
  "platform-customers": (before, limit) => sql`
    delete from platform_customers where id in (
      select id from platform_customers where updated_at < ${before} order by updated_at limit ${limit})`,
  "candle-corrections": (before, limit) => oldest("candle_corrections", "at", before, limit),
  // Except confirmed deletions, which a job finishes.
  "account-requests": (before, limit) => sql`
    delete from account_requests where id in (
      select id from account_requests where created_at < ${before} and (kind <> 'delete' or confirmed_at is null)
       order by created_at limit ${limit})`,
  "alert-posts": (before, limit) => oldest("alert_posts", "created_at", before, limit),
  alerts: (before, limit) => sql`
    delete from alert_episodes where id in (
      select id from alert_episodes where opened_at < ${before} and closed_at is not null
       order by opened_at limit ${limit})`,
  "invoices-of-deleted": (before, limit) => sql`
    delete from invoices where invoice_id in (
      select i.invoice_id from subscriptions s join invoices i on i.subscription_id = s.id
       where s.erased_at is not null and i.created_at < ${before} limit ${limit})`,
  "execution-changes": (before, limit) => oldest("execution_changes", "at", before, limit),
};

const COUNT = columns({ n: number("count(*)::int") });

/** Deletes or clears at most `limit` rows of one kind that are older than `days`. Returns their number. */
export async function deleteExpired(
  handle: DatabaseHandle,
  what: RetainedKind,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const before = sql`now() - make_interval(days => ${days}::int)`;
  const { n } = await COUNT.one(
    handle,
    sql`with gone as (${STATEMENTS[what](before, limit)} returning 1) select ${COUNT.list} from gone`,
  );
  return n;
}

const SETTING = "last_retention";

/** Result of the last complete run of the retention job: number of deleted or cleared rows by kind, without zeros. */
export interface RetentionState {
  finishedAt: string;
  removed: Partial<Record<RetainedKind, number>>;
}

/** Result of the last complete run of the retention job; null: none yet. */
export async function readRetentionState(handle: DatabaseHandle): Promise<RetentionState | null> {
  return readSetting<RetentionState>(handle, SETTING);
}

export async function writeRetentionState(handle: DatabaseHandle, state: RetentionState): Promise<void> {
  await writeSetting(handle, SETTING, state);
}
