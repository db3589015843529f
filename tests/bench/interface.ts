import type postgres from "postgres";
import { type LoadResult, runClosedLoop } from "./load";
import { type BenchService, makeKeys, startBenchService } from "./service";

const SECONDS = 3;
const KEYS = 50;
const SYMBOLS = 14;
const YEAR_HOURS = 8_760;
const EXECUTIONS = 100_000;
const GROWTH = 10;
const ROUNDS = 3;

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
 * Measures API reads with a year of hourly history on 14 slots and 100,000 executions. Then compares the reads that must
 * not grow with a second service that has ten years of history and a million executions within one year,
 * alternating between the two, so that drift of the machine cancels out.
 */
export async function benchApiReads(): Promise<string[]> {
  const small = await startFilled(1);
  const lines = [
    `one year on ${SYMBOLS} hourly slots, ${EXECUTIONS} executions of ${KEYS} subscribers, ${SECONDS} s each`,
  ];
  let large: Filled | null = null;
  try {
    const measured = new Map<string, Measured>();
    for (const path of PATHS) measured.set(path, await measure(small, path));
    const scan = measured.get("/api/scan")?.busy.requestsPerSecond ?? 1;
    for (const [path, { busy, alone }] of measured) {
      lines.push(
        `${path.padEnd(44)} ${Math.round(busy.requestsPerSecond).toString().padStart(6)}/s  p50 ${busy.p50Ms.toFixed(1)}  p99 ${busy.p99Ms.toFixed(1)} ms  ` +
          `alone p50 ${alone.p50Ms.toFixed(2)} ms  x ${(busy.requestsPerSecond / scan).toFixed(2)} of scan  errors ${busy.errors + alone.errors}`,
      );
    }
    const slow = [...measured].filter(([, { alone }]) => alone.p50Ms > 25).map(([path]) => path);
    lines.push(`over 25 ms at one connection: ${slow.join(", ") || "none"}`);
    lines.push("(reads without a key are limited by address: their figures mostly measure refusals)");

    large = await startFilled(GROWTH);
    lines.push(`p50 with ${GROWTH} times as much data, medians of ${ROUNDS} alternating rounds:`);
    for (const path of MUST_NOT_GROW) {
      const rounds: { before: Measured; after: Measured }[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        rounds.push({ before: await measure(small, path), after: await measure(large, path) });
      }
      const ratio = (of: (measured: Measured) => number) =>
        middle(rounds.map(({ before, after }) => of(after) / of(before))).toFixed(2);
      lines.push(
        `${path.padEnd(44)} x ${ratio(({ busy }) => busy.p50Ms)} at 64 connections, x ${ratio(({ alone }) => alone.p50Ms)} at one`,
      );
    }
    return lines;
  } finally {
    await small.service.stop();
    await large?.service.stop();
  }
}

interface Filled {
  service: BenchService;
  keys: string[];
}

/** Starts a service with `times` years of history and `times` times EXECUTIONS executions. */
async function startFilled(times: number): Promise<Filled> {
  const service = await startBenchService({ WORKER: "none", MARKET_FEED: "off" });
  const keys = await makeKeys(service.sql, KEYS, "pro");
  await service.sql`update api_keys set rate_limit_per_min = 100000`;
  await fillMarket(service.sql, times * YEAR_HOURS);
  await fillExecutions(service.sql, times * EXECUTIONS);
  await fillProbes(service.sql);
  return { service, keys };
}

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

interface Measured {
  /** Measured with 64 connections. */
  busy: LoadResult;
  /** Measured with one connection. */
  alone: LoadResult;
}

async function measure({ service, keys }: Filled, path: string): Promise<Measured> {
  const wanted = { url: `${service.server.url}${path}`, keys };
  await runClosedLoop({ ...wanted, connections: 4, seconds: 1 });
  const alone = await runClosedLoop({ ...wanted, connections: 1, seconds: 1 });
  return { alone, busy: await runClosedLoop({ ...wanted, connections: 64, seconds: SECONDS }) };
}

/** Inserts slots with a model each, and a signal with its outcome for each of the last `hours` hours. */
async function fillMarket(sql: postgres.Sql, hours: number): Promise<void> {
  await sql`insert into symbols (symbol, calendar, digits)
    select 'SYM' || lpad(i::text, 2, '0'), 'crypto', 2 from generate_series(1, ${SYMBOLS}::int) i on conflict do nothing`;
  await sql`insert into slots (symbol, timeframe)
    select symbol, 'H1' from symbols where symbol like 'SYM%' on conflict do nothing`;
  await sql`insert into models (slot_id, model_v, is_active, trained_at, auc_wf, pf_wf)
    select s.id, 'bench', true, now(), 0.55, 1.1 from slots s where s.symbol like 'SYM%' on conflict do nothing`;
  await sql`
    insert into signals (seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr)
    select (select last_seq from state_versions) + row_number() over (order by t.ts, s.id), s.id, t.ts, t.ts + interval '1 hour', 'bench',
           case when i % 7 = 0 then 'BUY' when i % 11 = 0 then 'SELL' else 'NO_TRADE' end,
           0.4 + (i % 30) / 100.0, 0.3, 0.2, 0.5, case when i % 3 = 0 then 'RANGE' else 'TREND_UP' end, 1.5
      from generate_series(0, ${hours - 1}::int) i
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
  await sql`update state_versions set signals = signals + 1, models = models + 1, outcomes = outcomes + 1,
    last_seq = (select max(seq) from signals)`;
  await sql`vacuum analyze`;
}

/** Inserts `count` executions of the last year, evenly over all subscribers. */
async function fillExecutions(sql: postgres.Sql, count: number): Promise<void> {
  await sql`
    insert into executions (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, closed_at, entry_price, exit_price, pnl, result)
    select k.id, i, 'SYM01', 'SYM01', 'H1', 'BUY', t.at, t.at + interval '2 hours', 1.1, 1.2,
           ((i % 200) - 90) / 10.0, 'TP'
      from generate_series(1, ${count}::int) i
      cross join lateral (select now() - make_interval(secs => (i::float8 / ${count} * 31536000)) as at) t
      join (select id, row_number() over (order by id) as n from subscriptions where user_name like 'bench %') k
        on k.n = 1 + i % ${KEYS}::int`;
  await sql`vacuum analyze executions`;
}

/** Inserts a health probe for each minute of 30 days. */
async function fillProbes(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into health_probes (minute, status, components)
    select date_trunc('minute', now()) - make_interval(mins => i), 'ok',
           '{"database": "ok", "predictions": "ok", "candles": "ok", "mail": "ok", "worker": "ok", "rate_limit": "ok"}'
      from generate_series(1, 43200) i on conflict do nothing`;
}
