import type postgres from "postgres";

export interface AdminVolume {
  subscribers: number;
  signals: number;
  executions: number;
}

const SYMBOLS = [
  "EURUSD",
  "GBPUSD",
  "USDJPY",
  "XAUUSD",
  "BTCUSD",
  "ETHUSD",
  "AUDUSD",
  "NZDUSD",
  "USDCAD",
  "USDCHF",
  "EURJPY",
  "GBPJPY",
  "EURGBP",
  "XAGUSD",
];

/**
 * Fills a migrated database like a large installation: subscribers with keys, heartbeats, payments, mails and audit
 * rows; signals of 28 slots with outcomes; executions of a year. Adds 90 days of health probes.
 */
export async function fillAdminDatabase(sql: postgres.Sql, volume: AdminVolume): Promise<void> {
  const { subscribers, signals, executions } = volume;
  await sql.begin(async (tx) => {
    // Triggers and foreign keys are off: the rows are consistent, and checking a million references would only cost time.
    await tx`set local session_replication_role = replica`;
    await tx`set local synchronous_commit = off`;
    await fillSubscribers(tx, subscribers);
    await tx`insert into symbols (symbol, calendar, digits) select unnest(${SYMBOLS}::text[]), 'crypto', 5 on conflict do nothing`;
    await tx`
      insert into slots (symbol, timeframe) select s, t from unnest(${SYMBOLS}::text[]) s, unnest(array['M15', 'H1']) t`;
    await tx`
      insert into models (slot_id, model_v, auc_wf, pf_wf, is_active, trained_at, champion_since)
      select id, 'gbdt-' || v, 0.53, 1.1, v = 2, now() - interval '400 days', now() - interval '30 days'
        from slots, generate_series(1, 2) v`;
    await tx`
      insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)
      select row_number() over (order by at, s.id), s.id, at, at + step, 'gbdt-2', (array['NO_TRADE', 'BUY', 'NO_TRADE', 'SELL'])[1 + n % 4], 0.4 + (n % 30) / 100.0,
             0.3 + (n % 10) / 100.0, 0.3, 0.4 - (n % 10) / 100.0, (array['RANGE', 'TREND_UP', 'VOLATILE'])[1 + n % 3], 1.5
        from slots s, generate_series(1, ${Math.ceil(signals / (2 * SYMBOLS.length))}) n,
             lateral (select case s.timeframe when 'M15' then interval '15 minutes' else interval '1 hour' end as step) t,
             lateral (select date_bin('15 minutes', now(), 'epoch') - n * step as at) a`;
    await tx`update state_versions set last_seq = (select max(seq) from signals)`;
    await tx`
      insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance,
                            label, buy_r, sell_r, result_r, exit_reason, ended_at)
      select id, slot_id, model_v, closes_at, signal, 'v1', 1.1, 0.001, (array['BUY', 'SELL', 'NO_TRADE'])[1 + id % 3],
             1 - (id % 3), -1 + (id % 3), case when signal <> 'NO_TRADE' then 1.2 - (id % 5) * 0.5 end,
             case when signal <> 'NO_TRADE' then 'TP' end, closes_at + interval '3 hours'
        from signals`;
    await tx`
      insert into latest_signals (slot_id, signal_id, ts, created_at)
      select distinct on (slot_id) slot_id, id, ts, created_at from signals order by slot_id, ts desc`;
    await tx`
      insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, closed_at, entry_price, exit_price, pnl, result)
      select 1 + n % ${subscribers}, n, 'EURUSD', 'EURUSDm', 'H1', (array['BUY', 'SELL'])[1 + n % 2],
             now() - (n % 8760) * interval '1 hour', now() - (n % 8760) * interval '1 hour' + interval '50 minutes', 1.1, 1.2,
             (n % 200 - 95) / 10.0, 'TP'
        from generate_series(1, ${executions}) n`;
  });
  await fillProbes(sql);
  await sql`analyze`;
}

/** Inserts subscribers with the ids 1, 2, 3 and so on, and their keys, heartbeats, payments, mails and audit rows. */
export async function fillSubscribers(tx: postgres.TransactionSql, subscribers: number): Promise<void> {
  await tx`
    insert into subscriptions (user_name, email, email_normalized, notes, created_at)
    select 'Subscriber ' || n, 'person' || n || '@example.com', 'person' || n || '@example.com',
           case when n % 10 = 0 then 'pays by transfer' end, now() - n * interval '50 minutes'
      from generate_series(1, ${subscribers}) n`;
  await tx`
    insert into api_keys (subscription_id, key_hash, hint, plan_tier, expires_at, revoked_at, created_at)
    select n, encode(sha256(('key' || n)::bytea), 'hex'), left(md5(n::text), 4) || '****' || right(md5(n::text), 4),
           (array['basic', 'pro', 'telegram', 'pro'])[1 + n % 4],
           case when n % 5 = 0 then null else now() + (n % 400 - 40) * interval '1 day' end,
           case when n % 13 = 0 then now() - interval '2 days' end, now() - n * interval '50 minutes'
      from generate_series(1, ${subscribers}) n`;
  await tx`
    insert into api_keys (subscription_id, key_hash, hint, plan_tier, rotated_at, created_at)
    select n, encode(sha256(('old' || n)::bytea), 'hex'), 'aaaa****bbbb', 'basic', now() - interval '1 day', now() - interval '2 years'
      from generate_series(1, ${subscribers}, 5) n`;
  await tx`
    insert into key_heartbeats (key_id, subscription_id, last_seen_at, client, n_calls)
    select n, n, now() - (n % 300) * interval '20 seconds', 'MetaTrader 5 Terminal/5.5120', n
      from generate_series(1, ${subscribers}) n where n % 6 <> 0`;
  await tx`
    insert into invoices (invoice_id, state, subscription_id, key_id, plan_tier, effect, paid_at, created_at)
    select 'inv-' || n, 'paid', 1 + n % ${subscribers}, 1 + n % ${subscribers}, 'pro', 'renewed', now(), now() - n * interval '20 minutes'
      from generate_series(1, ${3 * subscribers}) n`;
  await tx`
    insert into payment_deliveries (body_digest, event, invoice_id, email_hash, payload_encrypted, action, flags, answer, received_at, last_received_at)
    select md5(n::text), 'payment.invoice_paid', 'inv-' || n, left(md5(n::text), 4), 'x', 'already_provisioned',
           case when n % 3000 = 0 then array['unmapped_product'] else '{}' end, '{}', now() - n * interval '20 minutes', now()
      from generate_series(1, ${3 * subscribers}) n`;
  await tx`
    insert into mail_outbox (dedupe_key, kind, subscription_id, recipient, props, status, sent_at, created_at)
    select 'bench/' || n, 'expiry-reminder', 1 + n % ${subscribers}, 'person' || n || '@example.com',
           '{"userName": "Ada", "planTier": "pro", "expiresAt": "2026-12-25T10:00:00Z", "daysLeft": 3}', 'sent', now(),
           now() - n * interval '8 minutes'
      from generate_series(1, ${6 * subscribers}) n`;
  await tx`
    insert into admin_audit (actor, action, target, subscription_id, address, at)
    select 'admin-session/x', (array['key.issue', 'key.extend', 'payment.renew'])[1 + n % 3], 'key/' || n, 1 + n % ${subscribers},
           '203.0.113.9', now() - n * interval '3 minutes'
      from generate_series(1, ${20 * subscribers}) n`;
}

/** Inserts a health probe for each minute of 90 days. Triggers must be on, because one maintains the daily probe counts. */
export async function fillProbes(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into health_probes (minute, status, reasons, components)
    select date_trunc('minute', now()) - n * interval '1 minute', case when n % 5000 < 3 then 'degraded' else 'ok' end, '{}',
           '{"database": "ok", "predictions": "ok", "candles": "ok", "mail": "ok", "worker": "ok", "rate_limit": "ok"}'
      from generate_series(1, 129600) n`;
}
