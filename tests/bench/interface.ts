import type postgres from "postgres";
import { type LoadResult, load } from "./load";
import { makeKeys, startBenchService } from "./service";

const SECONDS = 3;
const KEYS = 50;
const SYMBOLS = 14;
const YEAR_HOURS = 8_760;
const EXECUTIONS = 100_000;
const GROWTH = 10;

const PATHS = [
  "/api/scan",
  "/api/scan?expand=validity",
  "/api/signals/SYM01/H1",
  "/api/history/predictions",
  "/api/account/me",
  "/api/account/signals",
  "/api/account/signals?include_no_trade=true",
  "/api/account/executions",
  "/api/ea-status",
  "/api/ea-status?explain=true",
  "/api/status",
  "/api/performance",
  "/api/performance?days=365",
  "/api/calibration",
  "/api/calibration?days=365",
  "/api/models",
  "/api/health",
  "/api/public/stats",
  "/openapi.json",
];
const MUST_NOT_GROW = [
  "/api/scan",
  "/api/signals/SYM01/H1",
  "/api/account/signals",
  "/api/account/executions",
];

/**
 * Every read of the interface with a year of hourly history on 14 slots and 100,000 executions, and again with ten times
 * as much: ten years of history and ten times the executions of the same subscribers in the same time.
 */
export async function benchInterface(): Promise<string[]> {
  const service = await startBenchService({ WORKER: "none", MARKET_FEED: "off" });
  try {
    const keys = await makeKeys(service.sql, KEYS, "pro");
    await service.sql`update api_keys set rate_limit_per_min = 100000`;
    await fillMarket(service.sql, 0, YEAR_HOURS);
    await fillExecutions(service.sql, EXECUTIONS, 0);
    await fillProbes(service.sql);
    const lines = [
      `one year on ${SYMBOLS} hourly slots, ${EXECUTIONS} executions of ${KEYS} subscribers, ${SECONDS} s each`,
    ];
    const before = await measure(service.server.url, keys, PATHS);
    const scan = before.get("/api/scan")?.busy.requestsPerSecond ?? 1;
    for (const [path, { busy, alone }] of before) {
      lines.push(
        `${path.padEnd(44)} ${Math.round(busy.requestsPerSecond).toString().padStart(6)}/s  p50 ${busy.p50Ms.toFixed(1)}  p99 ${busy.p99Ms.toFixed(1)} ms  ` +
          `alone p50 ${alone.p50Ms.toFixed(2)} ms  x ${(busy.requestsPerSecond / scan).toFixed(2)} of scan  errors ${busy.errors + alone.errors}`,
      );
    }
    const slow = [...before].filter(([, { alone }]) => alone.p50Ms > 25).map(([path]) => path);
    lines.push(`over 25 ms at one connection: ${slow.join(", ") || "none"}`);

    await fillMarket(service.sql, YEAR_HOURS, GROWTH * YEAR_HOURS);
    await fillExecutions(service.sql, (GROWTH - 1) * EXECUTIONS, EXECUTIONS);
    const after = await measure(service.server.url, keys, MUST_NOT_GROW);
    // The same two states cannot be measured at one time: the machine's own drift is in the ratio.
    lines.push(`with ${GROWTH} times as much:`);
    for (const [path, { busy, alone }] of after) {
      const first = before.get(path);
      lines.push(
        `${path.padEnd(44)} p50 x ${(busy.p50Ms / (first?.busy.p50Ms ?? 1)).toFixed(2)} at 64 connections, x ${(alone.p50Ms / (first?.alone.p50Ms ?? 1)).toFixed(2)} at one (${alone.p50Ms.toFixed(2)} ms)`,
      );
    }
    return lines;
  } finally {
    await service.stop();
  }
}

interface Measured {
  /** 64 connections. */
  busy: LoadResult;
  /** One connection. */
  alone: LoadResult;
}

async function measure(url: string, keys: string[], paths: string[]): Promise<Map<string, Measured>> {
  const measured = new Map<string, Measured>();
  for (const path of paths) {
    const wanted = { url: `${url}${path}`, keys, seconds: SECONDS };
    // Anyone's reads are limited by address: what is measured there is the answer and then the refusal.
    await load({ ...wanted, connections: 4, seconds: 1 });
    const alone = await load({ ...wanted, connections: 1, seconds: 1 });
    measured.set(path, { alone, busy: await load({ ...wanted, connections: 64 }) });
  }
  return measured;
}

/** Signals, outcomes and models of every slot for the hours from `from` to `to` before now, the newest ones last. */
async function fillMarket(sql: postgres.Sql, from: number, to: number): Promise<void> {
  await sql`insert into symbols (symbol, calendar, digits)
    select 'SYM' || lpad(i::text, 2, '0'), 'crypto', 2 from generate_series(1, ${SYMBOLS}::int) i on conflict do nothing`;
  await sql`insert into slots (symbol, timeframe)
    select symbol, 'H1' from symbols where symbol like 'SYM%' on conflict do nothing`;
  await sql`insert into models (slot_id, model_v, is_active, trained_at, auc_wf, pf_wf)
    select s.id, 'bench', true, now(), 0.55, 1.1 from slots s where s.symbol like 'SYM%' on conflict do nothing`;
  await sql`
    insert into signals (slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)
    select s.id, t.ts, t.ts + interval '1 hour', 'bench',
           case when i % 7 = 0 then 'BUY' when i % 11 = 0 then 'SELL' else 'NO_TRADE' end,
           0.4 + (i % 30) / 100.0, 0.3, 0.2, 0.5, case when i % 3 = 0 then 'RANGE' else 'TREND_UP' end, 1.5
      from generate_series(${from}::int, ${to - 1}::int) i
      cross join lateral (select date_trunc('hour', now()) - make_interval(hours => i + 1) as ts) t
      cross join (select id from slots where symbol like 'SYM%') s
     order by t.ts`;
  await sql`
    insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance,
                          label, buy_r, sell_r, result_r, exit_price, exit_reason, ended_at)
    select id, slot_id, model_v, closes_at, signal, '1', 100, 1,
           (array['BUY', 'SELL', 'NO_TRADE'])[1 + id % 3], (id % 5) - 2, 2 - (id % 5),
           case when signal <> 'NO_TRADE' then (id % 4) - 1.5 end, 101, 'TIMEOUT', closes_at + interval '12 hours'
      from signals g where not exists (select 1 from outcomes o where o.signal_id = g.id)`;
  await sql`insert into latest_signals (slot_id, signal_id, ts, created_at)
    select distinct on (slot_id) slot_id, id, ts, created_at from signals order by slot_id, ts desc
    on conflict (slot_id) do nothing`;
  await sql`update state_versions set signals = signals + 1, models = models + 1, outcomes = outcomes + 1`;
  await sql`vacuum analyze`;
}

/** Executions of all subscribers, spread over the last year. */
async function fillExecutions(sql: postgres.Sql, count: number, firstTicket: number): Promise<void> {
  await sql`
    insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, closed_at, entry_price, exit_price, pnl, result)
    select k.id, ${firstTicket}::int + i, 'SYM01', 'SYM01', 'H1', 'BUY', t.at, t.at + interval '2 hours', 1.1, 1.2,
           ((i % 200) - 90) / 10.0, 'TP'
      from generate_series(1, ${count}::int) i
      cross join lateral (select now() - make_interval(secs => (i::float8 / ${count} * 31536000)) as at) t
      join (select id, row_number() over (order by id) as n from subscriptions where user_name like 'bench %') k
        on k.n = 1 + i % ${KEYS}::int`;
  await sql`vacuum analyze executions`;
}

/** A month of minutes. */
async function fillProbes(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into health_probes (minute, status, components)
    select date_trunc('minute', now()) - make_interval(mins => i), 'ok',
           '{"database": "ok", "predictions": "ok", "candles": "ok", "mail": "ok", "worker": "ok", "rate_limit": "ok"}'
      from generate_series(1, 43200) i on conflict do nothing`;
}
