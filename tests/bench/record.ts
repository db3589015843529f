import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import { paths } from "@/lib/paths";
import { signInByForm } from "@/tests/support/sign-in";
import { databaseProcessorMs, processorMsWithChildren } from "./processor-time";
import { quantile } from "./quantile";
import { type BenchService, makeKeys, startBenchService } from "./service";

/** Number of signals, of 42 slots on H1, M30 and M15 with a new model every two weeks; RECORD_SIGNALS replaces it. */
const SIGNALS = Number(process.env.RECORD_SIGNALS ?? 1_000_000);
/** Number of positions of one of two subscribers over 90 days, opened while the signals were current. */
const POSITIONS = Number(process.env.RECORD_POSITIONS ?? 500_000);
/** Age of the newest signals in hours: every signal's horizon is over. */
const NEWEST_HOURS = 20;
const ROUNDS = 16;
/** Number of warm-up rounds: few enough that they and ROUNDS stay within the public rate limit. */
const WARMING_ROUNDS = 8;
/** Number of pages of each kind that are rendered before all measurements. */
const MADE_BEFORE = 80;
const MAX_MS = 60;
/** Themes of the warm-up and of the measured reads. They differ, because pages are cached per theme. */
const THEMES = { warm: "dark", counted: "light" };
const NOTHING_FOLLOWED = "page /portal/record, nothing followed";
/** RECORD_DATA names a folder in which the filled database is kept for another run on the same day. */
const KEPT = process.env.RECORD_DATA;
/** RECORD_ONLY is a regular expression that selects by name, such as `^page /record$`. */
const ONLY = new RegExp(process.env.RECORD_ONLY ?? "");
const SORTS = ["slot", "followed", "win", "mean", "total", "coin", "drawdown", "skill"];

interface Measured {
  p50Ms: number;
  p99Ms: number;
  /** Processor time per read in milliseconds, of the HTTP server with its page process, and of PostgreSQL. */
  serverMs: number;
  postgresMs: number;
  bytes: number;
  status: number;
}

/**
 * Measures pages and answers of the public record with a million resolved signals, and the portal's record of a
 * subscriber with half a million positions and of one without. Before each request the ledger grows by one entry and
 * one slot's sums change, and some pages get another order or position, to keep cached answers from being used. Compare
 * the processor times; the elapsed times depend on the machine.
 */
export async function benchRecord(): Promise<string[]> {
  const kept = readKept();
  const service = await startBenchService(
    { MARKET_FEED: "off", WORKER: "none", PUBLIC_CANDLES: "on", TRUST_PROXY_HOPS: "1" },
    keptDirectory(kept),
  );
  try {
    const startedAt = performance.now();
    const { facts, keys } = kept ?? (await fillAll(service.sql));
    const filledAt = performance.now();
    const [follower = "", onlooker = ""] = await Promise.all(
      keys.map((key) => signInByForm(service.server.url, "/login/by-key", { api_key: key })),
    );
    const cookieOf = (name: string) => (name === NOTHING_FOLLOWED ? onlooker : follower);
    const firstAt = performance.now();
    await fetch(`${service.server.url}/api/public/record`);
    const lines = [
      `${facts.signals} resolved signals of ${facts.slots} slots over ${facts.days} days, ${facts.models} models, ${facts.bins} rows of bins, ${POSITIONS} positions, filled in ${((filledAt - startedAt) / 1000).toFixed(0)} s`,
      `the first answer of a process, which keeps nothing yet: ${(performance.now() - firstAt).toFixed(0)} ms`,
    ];
    const slow: string[] = [];
    await makeBefore(service, follower);
    const addresses = Object.entries(await addressesOf(service.sql)).filter(([name]) => ONLY.test(name));
    for (const [name, addressOf] of addresses)
      await measure(service, addressOf, cookieOf(name), THEMES.warm, WARMING_ROUNDS);
    for (const [name, addressOf] of addresses) {
      const one = await measure(service, addressOf, cookieOf(name), THEMES.counted, ROUNDS);
      if (one.serverMs + one.postgresMs > MAX_MS || one.status !== 200) slow.push(name);
      lines.push(
        `${name.padEnd(52)} p50 ${one.p50Ms.toFixed(1).padStart(7)}  p99 ${one.p99Ms.toFixed(1).padStart(7)} ms, of the processor ${one.serverMs.toFixed(0).padStart(4)} + ${one.postgresMs.toFixed(0).padStart(4)} ms ${(one.bytes / 1000).toFixed(0).padStart(6)} kB  ${one.status}`,
      );
    }
    return [...lines, `over ${MAX_MS} ms: ${slow.join(", ") || "none"}`];
  } finally {
    await service.stop();
  }
}

/** Requests pages of every kind, so that their code is compiled as in a long-running process. */
async function makeBefore({ server }: BenchService, session: string): Promise<void> {
  for (let n = 0; n < MADE_BEFORE; n++) {
    const symbol = `REC${String(4 + (n % 11)).padStart(2, "0")}`;
    const period = monthBefore(n % 8);
    const sort = SORTS[n % SORTS.length];
    for (const path of [
      paths.record({ symbol, sort, period }),
      paths.recordSlot(symbol, ["H1", "M30", "M15"][n % 3] ?? "H1", { period }),
      paths.model(500 + n),
      paths.portalRecord({ days: n % 2 === 0 ? "30" : "90" }),
    ]) {
      const headers = { Cookie: `${session}; theme=${THEMES.warm}`, "X-Forwarded-For": `198.18.7.${n}` };
      await (await fetch(`${server.url}${path}`, { headers })).arrayBuffer();
    }
  }
}

const monthBefore = (n: number) => new Date(Date.now() - n * 28 * 86_400_000).toISOString().slice(0, 7);

interface Filled {
  facts: Awaited<ReturnType<typeof fill>>;
  keys: string[];
}

const keptFile = (folder: string) => join(folder, "filled.json");

function readKept(): Filled | null {
  if (KEPT === undefined || !existsSync(keptFile(KEPT))) return null;
  return JSON.parse(readFileSync(keptFile(KEPT), "utf8"));
}

/** The folder of a kept database; an incompletely filled one is filled again. */
function keptDirectory(kept: Filled | null): string | undefined {
  if (KEPT === undefined) return undefined;
  if (kept === null) rmSync(KEPT, { recursive: true, force: true });
  mkdirSync(KEPT, { recursive: true });
  return KEPT;
}

async function fillAll(sql: postgres.Sql): Promise<Filled> {
  const facts = await fill(sql);
  const keys = await makeKeys(sql, 2, "owner");
  await fillPositions(sql);
  if (KEPT !== undefined) writeFileSync(keptFile(KEPT), JSON.stringify({ facts, keys }));
  return { facts, keys };
}

async function addressesOf(sql: postgres.Sql): Promise<Record<string, (round: number) => string>> {
  const [last] = await sql`select max(outcome)::int as cursor from ledger_signals`;
  const models = await sql<{ id: number }[]>`select id from models order by id desc limit ${ROUNDS + 1}`;
  const [rare] = await sql<{ model_v: string }[]>`
    select model_v from models m join slots s on s.id = m.slot_id where s.symbol = 'REC03' order by trained_at limit 1`;
  const one = "symbol=REC01&tf_code=H1";
  const order = (round: number) => (round % 2 === 0 ? "asc" : "desc");
  return {
    "page /record": (n) => paths.record({ sort: SORTS[(n >> 1) % SORTS.length], order: order(n) }),
    "page /record, one month": (n) => paths.record({ period: monthBefore(n) }),
    "page /record, one symbol": (n) =>
      paths.record({ symbol: "REC02", sort: SORTS[(n >> 1) % SORTS.length], order: order(n) }),
    "page /record/REC01/H1": (n) => paths.recordSlot("REC01", "H1", { after: last?.cursor - 1_000 * n }),
    "page /record/REC01/H1, one month": (n) => paths.recordSlot("REC01", "H1", { period: monthBefore(n) }),
    "page /models/{id}": (n) => paths.model(models[n]?.id ?? 1),
    "page /portal/record": () => paths.portalRecord(),
    "page /portal/record, 90 days": () => paths.portalRecord({ days: "90" }),
    [NOTHING_FOLLOWED]: () => paths.portalRecord(),
    "/api/public/record": () => "/api/public/record",
    [`/api/public/record?${one}`]: () => `/api/public/record?${one}`,
    "/api/public/calibration": () => "/api/public/calibration",
    [`/api/public/models?${one}`]: () => `/api/public/models?${one}`,
    "/api/public/models": () => "/api/public/models",
    "/api/public/signals?limit=200": (n) => `/api/public/signals?limit=200&after=${30_000 * n}`,
    [`/api/public/signals?${one}&order=newest&limit=1000`]: () =>
      `/api/public/signals?${one}&order=newest&limit=1000`,
    "/api/public/signals?symbol=REC03&model_v&limit=200": () =>
      `/api/public/signals?symbol=REC03&model_v=${rare?.model_v}&limit=200`,
    "/api/public/stats": () => "/api/public/stats",
  };
}

async function measure(
  { server, sql }: BenchService,
  addressOf: (round: number) => string,
  session: string,
  theme: string,
  rounds: number,
): Promise<Measured> {
  const slots = await sql<{ id: number }[]>`select id from slots where symbol like 'REC%' order by id`;
  const times: number[] = [];
  let [status, bytes, serverMs, postgresMs] = [0, 0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    await sql.begin(async (tx) => {
      await tx`update ledger_state set size = size + 1, folded = size + 1`;
      await tx`update record_days set n = n + 1
        where slot_id = ${slots[round % slots.length]?.id ?? 0} and day = (select max(day) from record_days)`;
    });
    const before = { server: processorMsWithChildren(server.pid), postgres: await databaseProcessorMs(sql) };
    const at = performance.now();
    const answer = await fetch(`${server.url}${addressOf(round)}`, {
      headers: { Cookie: `${session}; theme=${theme}`, "X-Forwarded-For": `198.18.8.${round}` },
    });
    bytes = (await answer.arrayBuffer()).byteLength;
    times.push(performance.now() - at);
    serverMs += processorMsWithChildren(server.pid) - before.server;
    postgresMs += (await databaseProcessorMs(sql)) - before.postgres;
    status = answer.status;
    if (status !== 200) break;
  }
  return {
    p50Ms: quantile(times, 0.5),
    p99Ms: Math.max(...times),
    serverMs: serverMs / times.length,
    postgresMs: postgresMs / times.length,
    bytes,
    status,
  };
}

/** Inserts POSITIONS positions, opened while signals of their symbols were current, and candles for the market price. */
async function fillPositions(sql: postgres.Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`set local synchronous_commit = off`;
    await tx`update subscriptions set created_at = now() - interval '400 days'`;
    await tx`
      insert into executions
        (subscription_id, ticket, symbol, symbol_sent, timeframe, signal, opened_at, closed_at, entry_price, exit_price, pnl, result)
      select (select min(subscription_id) from api_keys), n, symbol, symbol, 'H1', (array['BUY', 'SELL'])[1 + n % 2], at, at + interval '50 minutes',
             1.1, 1.1 + (n % 21 - 10) / 10000.0, (n % 200 - 95) / 10.0, 'TP'
        from generate_series(1, ${POSITIONS}::int) n
       cross join lateral (select 'REC' || lpad((1 + n % 14)::text, 2, '0') as symbol, now() - interval '1 hour' * ${NEWEST_HOURS} - n * interval '90 days' / ${POSITIONS}::int as at) t`;
    await tx`insert into candles (slot_id, ts, open, high, low, close)
      select s.id, date_trunc('hour', now()) - n * interval '15 minutes', 1.1, 1.11, 1.09, 1.1
        from slots s, generate_series(1, 91 * 96) n where s.symbol like 'REC%' and s.timeframe = 'M15'`;
  });
  await sql`vacuum analyze executions, candles`;
}

async function fill(sql: postgres.Sql) {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`set local synchronous_commit = off`;
    await tx`insert into symbols (symbol, calendar, digits) select 'REC' || lpad(n::text, 2, '0'), 'crypto', 5 from generate_series(1, 14) n`;
    await tx`insert into slots (symbol, timeframe)
      select symbol, t from symbols, unnest(array['H1', 'M30', 'M15']) t where symbol like 'REC%' order by 1, 2`;
    await tx`create temp table steps on commit drop as
      select id, row_number() over (order by id) - 1 as place, case timeframe when 'H1' then interval '1 hour' when 'M30' then interval '30 minutes' else interval '15 minutes' end as step
        from slots where symbol like 'REC%'`;
    await tx`
      insert into signals (id, seq, slot_id, ts, closes_at, model_v, signal, confidence, prob_buy, prob_sell, prob_no, regime, expected_rr, created_at)
      overriding system value
      select n, n, s.id, at, at + s.step, 'v' || floor(extract(epoch from at) / 1209600)::int % 1000, (array['BUY', 'SELL', 'NO_TRADE', 'NO_TRADE'])[1 + (n * 7 + s.id) % 4],
             0.45, 0.35, 0.2, 0.45, 'RANGE', 1.5, at + s.step
        from generate_series(1, ${SIGNALS}::int) n
        join steps s on s.place = n % 42
       cross join lateral (select date_trunc('hour', now()) - interval '1 hour' * ${NEWEST_HOURS} - s.step * ((${SIGNALS}::int - n) / 42) as at) t`;
    await tx`
      insert into outcomes (signal_id, slot_id, model_v, closes_at, signal, rule_version, entry_price, barrier_distance, label, buy_r, sell_r, result_r, exit_price, exit_reason, ended_at)
      select id, slot_id, model_v, closes_at, signal, '1', 1.1, 0.001, (array['BUY', 'SELL', 'NO_TRADE'])[1 + id % 3], 1.42, -1.08,
             case when signal = 'NO_TRADE' then null else 1.42 end, 1.102, case when signal = 'NO_TRADE' then null else 'TP' end, closes_at + interval '5 hours'
        from signals`;
    await tx`insert into ledger_signals (signal_id, slot_id, salt, commitment, reveal, outcome, in_time)
      select id, slot_id, md5(id::text), 3 * id, 3 * id + 1, 3 * id + 2, true from signals`;
    await tx`insert into models (slot_id, model_v, is_active, trained_at, champion_since, class_freq)
      select slot_id, model_v, max(ts) > now() - interval '14 days' and max(ts) = (select max(ts) from signals l where l.slot_id = g.slot_id), min(ts), min(ts), array[0.36, 0.34, 0.3] from signals g group by 1, 2`;
    await tx`insert into model_claims (model_id, n, skill, ece, directional_share, max_drawdown_r, skill_lo, skill_hi, ece_lo, ece_hi, directional_share_lo, directional_share_hi)
      select id, 18000, 0.01, 0.02, 0.2, 20, 0, 0.02, 0.01, 0.03, 0.18, 0.22 from models`;
    await tx`insert into ledger_entries (index, kind, subject, content, leaf_hash, at)
      select 4000000 + 2 * m.id + o, k, case k when 'claim' then 'claim/' || s.symbol || '/' || s.timeframe || '/' || m.model_v else 'promotion/' || m.id end,
             jsonb_build_object('symbol', s.symbol, 'timeframe', s.timeframe, 'model_v', m.model_v)::text, '\\x00', m.trained_at
        from models m join slots s on s.id = m.slot_id, unnest(array['claim', 'promotion']) with ordinality as t(k, o)`;
    await tx`insert into record_overlaps (slot_id, model_v, busy_until) select slot_id, model_v, '0' from models`;
    await tx`insert into record_days (slot_id, model_v, day, n, n_independent, n_directional, brier, brier_frequencies, gain_squares, evidence)
      select slot_id, model_v, (closes_at at time zone 'UTC')::date, count(*), 2, count(*) filter (where signal <> 'NO_TRADE'), count(*) * 640000000::bigint, count(*) * 650000000::bigint, count(*) * 1000000, 1000
        from signals group by 1, 2, 3`;
    await tx`insert into record_results (slot_id, model_v, day, forecaster, n, n_independent, wins, losses, r, r_squares, gain)
      select slot_id, model_v, day, f, n_directional, 1, n_directional / 2, n_directional - n_directional / 2, (hashtext(slot_id || f || day) % 3000000), n_directional * 1000000, 1000000
        from record_days, unnest(array['model', 'coin', 'frequencies']) f where n_directional > 0`;
    await tx`insert into record_bins (slot_id, model_v, day, forecaster, bin, n, n_independent, confidence, hits, brier)
      select slot_id, model_v, day, f, b, greatest(1, n / 4), 1, greatest(1, n / 4) * (b * 100000000::bigint + 50000000), greatest(1, n / 4) / 2, greatest(1, n / 4) * 240000000::bigint
        from record_days, unnest(array['model', 'coin', 'frequencies']) f, generate_series(3, 6) b where f = 'model' or b = 3`;
    await tx`update ledger_state set size = 5000000, folded = 5000000, record_rule = '5 in time', last_seq = ${SIGNALS}`;
    await tx`update state_versions set last_seq = ${SIGNALS}`;
  });
  await sql.unsafe("vacuum (analyze)");
  const [facts] = await sql`
    select (select count(*) from ledger_signals)::int as signals, (select count(distinct slot_id) from record_days)::int as slots,
           (select count(distinct day) from record_days)::int as days, (select count(*) from models)::int as models,
           (select count(*) from record_bins)::int as bins`;
  return { ...facts } as { signals: number; slots: number; days: number; models: number; bins: number };
}
