import type postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { deleteExpired, readRetentionState } from "@/db/queries/retention";
import { describeRetention } from "@/lib/admin/describe-retention";
import { previewMail, resendMail } from "@/lib/outbound/mail/outbox";
import { localOutbox } from "@/lib/outbound/mail/transports/local-outbox";
import { env } from "@/lib/runtime/env";
import { removeOldRecords } from "@/lib/server/upkeep/retention";
import { cachedSetting } from "@/lib/settings/cached-settings";
import { DEFAULT_RETENTION_DAYS } from "@/lib/settings/retention-days";
import type { RetainedKind } from "@/lib/vocabulary";
import { makeKey } from "@/tests/support/api";
import { applySetting } from "@/tests/support/apply-setting";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { sentMails } from "@/tests/support/sent-mail";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

useDatabase();
const never = new AbortController().signal;
let sql: postgres.Sql;
let keyId: number;
let subscriptionId: number;

beforeAll(async () => {
  sql = connectDirectly();
  await sql`insert into slots (symbol, timeframe) select min(symbol), 'H1' from symbols on conflict do nothing`;
  ({ keyId } = await makeKey({ email: "ada@example.com" }));
  const [key] = await sql`select subscription_id from api_keys where id = ${keyId}`;
  subscriptionId = key?.subscription_id;
});
afterAll(() => sql.end());

const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

/** For each kind of records, inserts one row with this date and name. */
const PUT: Record<RetainedKind, (at: Date, name: string) => Promise<unknown>> = {
  "sign-in-links": (at, name) =>
    sql`insert into sign_in_tokens (token_hash, email_normalized, expires_at, created_at) values (${name}, 'a@example.com', ${at}, ${at})`,
  sessions: (at, name) =>
    sql`insert into sessions (role, token_hash, expires_at, address) values ('admin', ${name}, ${at}, '192.0.2.1')`,
  "rejected-reports": (at, name) =>
    sql`insert into rejected_reports (subscription_id, key_id, request_id, code, errors, body_excerpt, at)
        values (${subscriptionId}, ${keyId}, ${name}, 'x', '[]', '', ${at})`,
  "client-addresses": (at, name) =>
    sql`insert into key_heartbeats (key_id, subscription_id, last_seen_at, address)
        values (${1_000 + name.length}, ${subscriptionId}, ${at}, '192.0.2.1')`,
  fetches: (at) =>
    sql`insert into fetch_days (subscription_id, day, way, slot_id, min_confidence, up_to, reach, at_ms)
        values (${subscriptionId}, (${at}::timestamptz at time zone 'UTC')::date, 'scan', 0, 0, '{1}', '{1}', '{0}')`,
  "untraded-signals": (at, name) =>
    sql`insert into untraded_signals (subscription_id, signal_id, terminal, reason, at)
        values (${subscriptionId}, 1, ${name}, 'SPREAD', ${at})`,
  "webhook-deliveries": (at, name) =>
    sql`with e as (
          insert into webhook_endpoints (subscription_id, url, events, secret_encrypted, signals_up_to)
          values (${subscriptionId}, 'https://example.com', '{signal.created}', 'v1.a.b.c', 0) returning id)
        insert into webhook_deliveries (endpoint_id, event, subject, body, state, created_at)
        select id, 'signal.created', ${name}, '{}', 'sent', ${at} from e`,
  "telegram-messages": (at, name) =>
    sql`insert into telegram_messages (dedupe_key, subscription_id, chat_id, kind, text, state, created_at)
        values (${name}, ${subscriptionId}, 1, 'reply', 'Hello', 'sent', ${at})`,
  "channel-deliveries": (at, name) =>
    sql`with e as (
          insert into channel_recipients (channel, subscription_id, address_encrypted, hint, events, signals_up_to)
          values ('discord', ${subscriptionId}, 'v1.a.b.c', 'x', '{signal.created}', 0)
          on conflict (subscription_id, channel) do update set hint = 'x' returning id)
        insert into channel_deliveries (recipient_id, event, subject, content, state, created_at)
        select id, 'signal.created', ${name}, '{}', 'sent', ${at} from e`,
  "audit-addresses": (at, name) =>
    sql`insert into admin_audit (actor, action, target, address, at) values ('worker', 'test', ${name}, '192.0.2.1', ${at})`,
  mails: (at, name) =>
    sql`insert into mail_outbox (dedupe_key, kind, recipient, props, status, created_at)
        values (${name}, 'key-created', 'a@example.com', '{"userName": "Ada"}', 'sent', ${at})`,
  probes: (at) =>
    sql`insert into health_probes (minute, status) values (date_trunc('minute', ${at}::timestamptz), 'ok')`,
  "feature-values": (at, name) =>
    sql`insert into feature_values (slot_id, ts, model_v, "values") select min(id), ${at}, ${name}, '{}' from slots`,
  "payment-payloads": (at, name) =>
    sql`insert into payment_deliveries (body_digest, payload_encrypted, action, answer, received_at)
        values (${name}, 'v1.a.b.c', 'ignored', '{}', ${at})`,
  "execution-changes": (at, name) =>
    sql`with e as (
          insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at)
          values (${subscriptionId}, 7, 'EURUSD', 'EURUSD', 'H1', 'BUY', now())
          on conflict (subscription_id, ticket) do update set signal = 'BUY' returning id)
        insert into execution_changes (execution_id, key_id, request_id, before, after, at)
        select id, ${keyId}, ${name}, '{}', '{}', ${at} from e`,
  "platform-customers": (at, name) =>
    sql`insert into platform_customers (adapter, external_id, buyer_encrypted, updated_at)
        values ('paddle', ${name}, 'v1.a.b.c', ${at})`,
  "candle-corrections": (at, name) =>
    sql`insert into candle_corrections (slot_id, ts, at, source, applied, old_open, old_high, old_low, old_close,
                                        new_open, new_high, new_low, new_close)
        select min(id), ${at}, ${at}, ${name}, true, 1, 1, 1, 1, 2, 2, 2, 2 from slots`,
  "account-requests": (at, name) =>
    sql`insert into account_requests (subscription_id, kind, token_hash, expires_at, created_at)
        values (${subscriptionId}, 'delete', ${name}, ${at}, ${at})`,
  alerts: (at, name) =>
    sql`insert into alert_episodes (topic, subject, title, text, path, opened_at, closed_at)
        values ('unmapped_product', ${name}, 'x', 'x', '/admin', ${at}, ${at})`,
  "alert-posts": (at, name) =>
    sql`with a as (
          insert into administrators (name, email, email_normalized, role, totp_secret_encrypted, removed_at)
          values ('Ada', ${name}, ${name}, 'owner', 'none', now()) returning id)
        insert into alert_posts (administrator_id, body, state, created_at) select id, '{}', 'sent', ${at} from a`,
  "invoices-of-deleted": (at, name) =>
    sql`with s as (insert into subscriptions (user_name, erased_at) values ('Deleted account', ${at}) returning id)
        insert into invoices (invoice_id, state, subscription_id, created_at) select ${name}, 'paid', id, ${at} from s`,
};

/** Number of rows of each kind that still exist, or still have the data to delete. */
const COUNT: Record<RetainedKind, () => Promise<{ n: number }[]>> = {
  "sign-in-links": () => sql`select count(*)::int as n from sign_in_tokens`,
  sessions: () => sql`select count(*)::int as n from sessions`,
  "rejected-reports": () => sql`select count(*)::int as n from rejected_reports`,
  "client-addresses": () => sql`select count(*)::int as n from key_heartbeats where address is not null`,
  fetches: () => sql`select count(*)::int as n from fetch_days`,
  "untraded-signals": () => sql`select count(*)::int as n from untraded_signals`,
  "webhook-deliveries": () => sql`select count(*)::int as n from webhook_deliveries`,
  "telegram-messages": () => sql`select count(*)::int as n from telegram_messages`,
  "channel-deliveries": () => sql`select count(*)::int as n from channel_deliveries`,
  "audit-addresses": () =>
    sql`select count(*)::int as n from admin_audit where action = 'test' and address is not null`,
  mails: () => sql`select count(*)::int as n from mail_outbox where status = 'sent' and recipient <> ''`,
  probes: () => sql`select count(*)::int as n from health_probes`,
  "feature-values": () => sql`select count(*)::int as n from feature_values`,
  "payment-payloads": () => sql`select count(*)::int as n from payment_deliveries`,
  "execution-changes": () => sql`select count(*)::int as n from execution_changes`,
  "platform-customers": () => sql`select count(*)::int as n from platform_customers`,
  "candle-corrections": () => sql`select count(*)::int as n from candle_corrections`,
  "account-requests": () => sql`select count(*)::int as n from account_requests`,
  alerts: () => sql`select count(*)::int as n from alert_episodes`,
  "alert-posts": () => sql`select count(*)::int as n from alert_posts`,
  "invoices-of-deleted": () => sql`select count(*)::int as n from invoices`,
};

const kinds = Object.keys(DEFAULT_RETENTION_DAYS) as RetainedKind[];
const count = async (kind: RetainedKind) => (await COUNT[kind]())[0]?.n;

describe("retention", () => {
  beforeEach(async () => {
    await sql`truncate sign_in_tokens, sessions, rejected_reports, key_heartbeats, health_probes, feature_values,
              payment_deliveries, execution_changes, webhook_deliveries, telegram_messages, channel_deliveries, fetch_days, platform_customers, candle_corrections,
              account_requests, alert_episodes, alert_posts, invoices cascade`;
    await sql`delete from mail_outbox where status = 'sent'`;
    await sql`delete from admin_audit where action = 'test'`;
  });

  it.each(kinds)("deletes %s after its days and not before", async (kind) => {
    const days = DEFAULT_RETENTION_DAYS[kind];
    await PUT[kind](ago(days + 1), "old");
    await PUT[kind](ago(days - 0.5), "young");
    expect(await count(kind)).toBe(2);
    await removeOldRecords(db(), new Date(), never);
    expect(await count(kind)).toBe(1);
    expect((await readRetentionState(db()))?.removed).toEqual({ [kind]: 1 });
  });

  it("a retention of 0 days keeps the rows, and other rows are deleted after their days", async () => {
    await applySetting("retention", { probes: 0, mails: 3 });
    await PUT.probes(ago(5_000), "old");
    await PUT.mails(ago(4), "older");
    await removeOldRecords(db(), new Date(), never);
    expect([await count("probes"), await count("mails")]).toEqual([1, 0]);
    const rows = describeRetention(cachedSetting("retention"), await readRetentionState(db()));
    expect(rows.find(({ what }) => what.startsWith("Health"))?.days).toBeNull();
    expect(rows.find(({ what }) => what.includes("mails"))).toMatchObject({ days: 3, removed: 1 });
    await applySetting("retention", null);
  });

  it("keeps old invoices of existing accounts and old confirmed requests for deletion", async () => {
    await sql`insert into invoices (invoice_id, state, subscription_id, created_at) values ('kept', 'paid', ${subscriptionId}, ${ago(5_000)})`;
    await sql`
      insert into account_requests (subscription_id, kind, token_hash, expires_at, created_at, confirmed_at)
      values (${subscriptionId}, 'delete', 'confirmed', ${ago(90)}, ${ago(90)}, ${ago(90)})`;
    await removeOldRecords(db(), new Date(), never);
    expect([await count("invoices-of-deleted"), await count("account-requests")]).toEqual([1, 1]);
  });

  it("empties an old mail but keeps its row, which can be neither previewed nor sent again", async () => {
    await PUT.mails(ago(200), "expiry/1");
    const [stored] = await sql`select id from mail_outbox where status = 'sent'`;
    const dataDir = temporaryDirectory("signal-retention-");
    Object.assign(env(), { dataDir });
    const text = "soon";
    await localOutbox(dataDir).send({
      mailId: Number(stored?.id),
      kind: "expiry",
      from: "a@example.com",
      to: "b@example.com",
      unsubscribeUrl: null,
      subject: text,
      html: text,
      text,
    });
    await removeOldRecords(db(), new Date(), never);
    expect(sentMails(dataDir)).toEqual([]);
    const [mail] = await sql`select id, recipient, props, dedupe_key from mail_outbox where status = 'sent'`;
    expect(mail).toMatchObject({ recipient: "", props: {}, dedupe_key: "expiry/1" });
    await expect(previewMail(db(), Number(mail?.id))).rejects.toMatchObject({ code: "not_found" });
    await expect(resendMail(db(), Number(mail?.id), { kind: "command" })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("deletes no more than its limit per run", async () => {
    for (let n = 0; n < 5; n++) await PUT["rejected-reports"](ago(100 + n), `old-${n}`);
    expect(await deleteExpired(db(), "rejected-reports", { days: 90, limit: 3 })).toBe(3);
    expect(await deleteExpired(db(), "rejected-reports", { days: 90, limit: 3 })).toBe(2);
  });

  it("deleting expired rejected reports needs no sequential scan", async () => {
    await sql`insert into rejected_reports (subscription_id, key_id, request_id, code, errors, body_excerpt, at)
              select ${subscriptionId}, ${keyId}, n::text, 'x', '[]', '', now() from generate_series(1, 20000) n`;
    await sql`analyze rejected_reports`;
    const plan = await sql`explain delete from rejected_reports where id in (
      select id from (select id, at from rejected_reports order by id limit 1000) first where first.at < now() - interval '90 days')`;
    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    expect(text).not.toContain("Seq Scan");
  });
});
