import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";
import { candleOpenMs } from "@/lib/market/timeframes";
import { sha256 } from "@/lib/runtime/secrets";
import type { Timeframe } from "@/lib/vocabulary";
import { startBenchService } from "@/tests/bench/service";
import { type CandleFault, startCandleServer, trueCandle } from "@/tests/support/candle-server";
import { Dice } from "@/tests/support/dice";
import { hasCcxt } from "@/tests/support/optional-library";
import type { RunOptions } from "@/tests/support/run-named";
import { startServer } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const MINUTES = 10;
const MINUTE_MS = 60_000;
/** Minutes without faults after which no candle may be missing. The service searches for gaps every five minutes. */
const CALM_MINUTES = 7;
const FAULT_SHARE = 0.4;
const BACKFILL = 120;
const TOKEN = "feed_of-the-faults";
const FAULTS: readonly CandleFault[] = [
  "429",
  "500",
  "dropped",
  "truncated",
  "duplicated",
  "missing",
  "late",
  "an hour ahead",
  "an hour behind",
];

interface Watched {
  symbol: string;
  timeframe: Timeframe;
  instrument: string;
}

/**
 * Runs every kind of feed against stand-ins of the sources for `--minutes`. Two in five answers are faulty, and the
 * service is killed halfway. Afterwards every closed candle must be stored with the source's values, without a gap.
 */
export async function breakFeeds({ seed, minutes }: RunOptions): Promise<string[]> {
  const dice = new Dice(seed);
  const market = await startCandleServer();
  const counts = new Map<string, number>();
  let isCalm = false;
  market.fault = () => {
    if (isCalm || !dice.chance(FAULT_SHARE)) return null;
    const fault = dice.pick(FAULTS);
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
    return fault;
  };
  const folder = join(temporaryDirectory("feeds-"), "candles");
  mkdirSync(folder);
  const hasLibrary = await hasCcxt();
  const slots: Watched[] = [
    { symbol: "BTCUSD", timeframe: "M1", instrument: "BTC_USD" },
    { symbol: "BTCUSD", timeframe: "M5", instrument: "BTC_USD" },
    { symbol: "ETHUSD", timeframe: "M1", instrument: "ETH_USD" },
    { symbol: "SOLUSD", timeframe: "M1", instrument: "SOL_USD" },
    { symbol: "XRPUSD", timeframe: "M1", instrument: "XRP_USD" },
    ...(hasLibrary ? [{ symbol: "LTCUSD", timeframe: "M1", instrument: "BTCUSDT" } as const] : []),
  ];
  const environment = {
    MARKET_FEED: `oanda(BTCUSD=BTC_USD:M1,M5 ETHUSD=ETH_USD:M1); folder:${folder}${hasLibrary ? "; ccxt:binance(LTCUSD=BTC/USDT:M1)" : ""}`,
    OANDA_TOKEN: "token",
    API_ROOTS: `oanda=${market.url},ccxt=${market.url}`,
    TUNING: `backfill=${BACKFILL}`,
    LOG_LEVEL: "warn",
  };
  const service = await startBenchService(environment);
  let server = service.server;
  const stop = new AbortController();
  try {
    await service.sql`insert into feed_tokens (name, token_hash, hint) values ('faults', ${sha256(TOKEN)}, 'faul****ults')`;
    const startedMs = Date.now();
    const lasting = (minutes ?? MINUTES) * MINUTE_MS;
    const writing = writeFiles(folder, stop.signal, () => !isCalm && dice.chance(FAULT_SHARE));
    const pushing = pushBars(
      () => server.url,
      stop.signal,
      () => !isCalm && dice.chance(FAULT_SHARE),
    );
    await pause(lasting / 2);
    await server.kill();
    await pause(20_000);
    server = await startServer(service.databaseUrl, environment);
    await pause(Math.max(0, startedMs + lasting - Date.now()));
    isCalm = true;
    const problems = await settleDown(service.sql, slots);
    stop.abort();
    await Promise.all([writing, pushing]);
    const [kept] = await service.sql<{ n: number }[]>`
      select count(*)::int as n from candles c join slots s on s.id = c.slot_id
       where s.symbol in ${service.sql(slots.map(({ symbol }) => symbol))}`;
    const delays = await service.sql<{ feed: string; n: number; p50: number; max: number }[]>`
      select split_part(feed, ':', 1) as feed, count(*)::int as n,
             percentile_cont(0.5) within group (order by d) as p50, max(d) as max
        from feed_slots f, unnest(f.delays_ms) d group by 1 order by 1`;
    const told = [...counts].map(([fault, n]) => `${fault} ${n}`).join(", ");
    const lines = [
      `${minutes ?? MINUTES} min, ${slots.length} slots${hasLibrary ? "" : " (ccxt is not installed)"}, ${market.requests.length} answers, spoilt: ${told}; killed once`,
      `${kept?.n} candles stored; from close to receipt:`,
      ...delays.map(
        ({ feed, n, p50, max }) =>
          `  ${feed}: ${Math.round(p50)} ms in the middle, ${Math.round(max)} ms at most (n = ${n})`,
      ),
      problems.length === 0 ? "every closed candle once, none half, no gap" : problems.join("\n"),
    ];
    if (problems.length > 0) throw new Error(lines.join("\n"));
    return lines;
  } finally {
    stop.abort();
    if (server !== service.server) await server.stop();
    await service.stop().catch(() => undefined);
    await market.close();
  }
}

/** Waits until no candle is missing, partial or changed, for CALM_MINUTES at most. Returns the remaining problems. */
async function settleDown(sql: postgres.Sql, slots: readonly Watched[]): Promise<string[]> {
  const endMs = Date.now() + CALM_MINUTES * MINUTE_MS;
  for (;;) {
    const problems = (await Promise.all(slots.map((slot) => problemsOf(sql, slot)))).flat();
    const [corrected] = await sql<{ n: number }[]>`select count(*)::int as n from candle_corrections`;
    if (corrected?.n) problems.push(`${corrected.n} candles were changed after they had closed`);
    if (problems.length === 0 || Date.now() > endMs) return problems;
    await pause(2_000);
  }
}

async function problemsOf(sql: postgres.Sql, { symbol, timeframe, instrument }: Watched): Promise<string[]> {
  const name = `${symbol} ${timeframe}`;
  const rows = await sql<
    { ts: Date; open: number; high: number; low: number; close: number; volume: number }[]
  >`
    select c.ts, c.open, c.high, c.low, c.close, c.volume from candles c join slots s on s.id = c.slot_id
     where s.symbol = ${symbol} and s.timeframe = ${timeframe} order by c.ts`;
  const [first] = rows;
  if (first === undefined) return [`${name}: nothing is stored`];
  const byTs = new Map(rows.map((row) => [row.ts.getTime(), row]));
  const problems: string[] = [];
  const stepMs = timeframe === "M5" ? 5 * MINUTE_MS : MINUTE_MS;
  // The newest one may still be in transit.
  const lastMs = candleOpenMs(Date.now() - 15_000, timeframe) - stepMs;
  for (let ms = first.ts.getTime(); ms <= lastMs; ms += stepMs) {
    const row = byTs.get(ms);
    byTs.delete(ms);
    const whole = trueCandle(instrument, timeframe, ms);
    if (row === undefined) problems.push(`${name}: ${new Date(ms).toISOString()} is missing`);
    else if (
      JSON.stringify({ ...row, ts: ms }) !== JSON.stringify({ ...whole, ts: ms }) &&
      !isEqual(row, whole)
    )
      problems.push(`${name}: ${new Date(ms).toISOString()} is partial: ${JSON.stringify(row)}`);
  }
  for (const ms of byTs.keys())
    if (ms + stepMs > Date.now()) problems.push(`${name}: ${new Date(ms).toISOString()} has not closed yet`);
  return problems;
}

function isEqual(
  row: Omit<ReturnType<typeof trueCandle>, "ts">,
  whole: ReturnType<typeof trueCandle>,
): boolean {
  return (["open", "high", "low", "close", "volume"] as const).every((name) => row[name] === whole[name]);
}

/** Writes each closed candle into a CSV file, as a program of the operator would, sometimes in two parts of a line. */
async function writeFiles(folder: string, signal: AbortSignal, isHalved: () => boolean): Promise<void> {
  const path = join(folder, "SOLUSD_M1.csv");
  let nextMs = candleOpenMs(Date.now(), "M1") - BACKFILL * MINUTE_MS;
  writeFileSync(path, "ts,open,high,low,close,volume\n");
  while (!signal.aborted) {
    for (; nextMs + MINUTE_MS <= Date.now(); nextMs += MINUTE_MS) {
      const { open, high, low, close, volume } = trueCandle("SOL_USD", "M1", nextMs);
      const line = `${new Date(nextMs).toISOString()},${open},${high},${low},${close},${volume}\n`;
      const cut = isHalved() ? Math.floor(line.length * 0.6) : line.length;
      appendFileSync(path, line.slice(0, cut));
      if (cut < line.length) await pause(3_000);
      appendFileSync(path, line.slice(cut));
    }
    await pause(500, undefined, { signal }).catch(() => undefined);
  }
}

/** Acts as a terminal that asks for the newest stored candle and sends the candles after it, sometimes losing the answer. */
async function pushBars(url: () => string, signal: AbortSignal, isUnheard: () => boolean): Promise<void> {
  const call = async (bars: number[][]): Promise<number | null> => {
    const body = {
      symbol: "XRPUSD",
      timeframe: "M1",
      clock: "utc",
      server_time: Math.floor(Date.now() / 1000),
      bars,
    };
    const answer = await fetch(`${url()}/api/feed/bars`, {
      method: "POST",
      headers: { "X-Feed-Token": TOKEN },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(isUnheard() ? 5 : 5_000),
    }).catch(() => null);
    if (!answer?.ok) return null;
    const { last_server_time: last }: { last_server_time: number } = await answer.json();
    return last * 1000;
  };
  let position: number | null = null;
  while (!signal.aborted) {
    position ??= await call([]);
    if (position !== null) {
      const firstMs =
        position === 0 ? candleOpenMs(Date.now(), "M1") - BACKFILL * MINUTE_MS : position + MINUTE_MS;
      const bars: number[][] = [];
      for (let ms = firstMs; ms + MINUTE_MS <= Date.now() && bars.length < 300; ms += MINUTE_MS) {
        const { open, high, low, close, volume } = trueCandle("XRP_USD", "M1", ms);
        bars.push([ms / 1000, open, high, low, close, volume]);
      }
      if (bars.length > 0) position = await call(bars);
    }
    await pause(1_000, undefined, { signal }).catch(() => undefined);
  }
}
