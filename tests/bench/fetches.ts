import postgres from "postgres";
import { closePools, db } from "@/db/client";
import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { recordSignalFetchAdvances } from "@/db/queries/signal-fetches";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { heartbeatBuffer } from "@/lib/subscribers/heartbeat";
import { signalFetchBuffer } from "@/lib/subscribers/signal-fetches";
import { DAY_MS, MINUTE_MS, startOfUtcDay } from "@/lib/time";
import { ADMIN_SECRET, testEnvironment } from "@/tests/support/database";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { databaseProcessorMs } from "./processor-time";
import { quantile } from "./quantile";
import { makeKeys } from "./service";

const SUBSCRIBERS = 10_000;
const AT_ONCE = 64;
const ROUNDS = 3;
/** Number of batches in which the fetches of a minute are written: one every two seconds. Heartbeats are written with them. */
const WRITES_A_MINUTE = 30;
const SYMBOLS = ["EURUSD", "GBPUSD", "USDJPY", "XAUUSD", "BTCUSD"];
const TIMEFRAMES = ["M15", "H1", "H4"];
/** Number of minutes a day in which a candle closes: one in a quarter of an hour. */
const NEWS_A_DAY = 96;
const POLLS_A_DAY = 1_440;
/** Number of subscribers whose whole day is written; the result is scaled up. */
const WRITTEN = 2_000;
const MAX_SHARE = 0.05;
const MAX_MB = 50;

/**
 * Measures the cost of recording first fetches. `/api/scan` is polled with and without the recording, alternating, in a
 * minute with new signals and in one without; counted is the processor time of this process, which runs the API without
 * HTTP, and of PostgreSQL. Then a day of first fetches is written with regular checkpoints and vacuums, and the sizes of
 * table and WAL are measured. Throws if a limit is exceeded.
 */
export async function benchFetches(): Promise<string[]> {
  const directory = temporaryDirectory("signal-bench-");
  process.env.TEST_DIRECTORY = directory;
  const embedded = await startEmbeddedDatabase(directory);
  const sql = postgres(embedded.url, { max: 2, onnotice: () => undefined });
  try {
    await migrateDatabase(embedded.url);
    // Production does not validate answers against the document.
    Object.assign(process.env, testEnvironment(embedded.url), { NODE_ENV: "production", LOG_LEVEL: "info" });
    const keys = await makeKeys(sql, SUBSCRIBERS, "pro");
    const polls = await measurePolls(sql, keys);
    const day = await measureDay(sql);
    const lines = [...polls.lines, ...day.lines];
    if (polls.share > MAX_SHARE || day.mb > MAX_MB) throw new Error(lines.join("\n"));
    return lines;
  } finally {
    await closePools();
    await sql.end({ timeout: 2 });
    await embedded.stop();
  }
}

type Minute = "candle" | "quiet";
interface Cost {
  /** Processor time per poll in microseconds, of this process and PostgreSQL together. */
  cpuUs: number;
  perSecond: number;
}

async function measurePolls(sql: postgres.Sql, keys: readonly string[]) {
  const buffer = signalFetchBuffer();
  const note = buffer.note.bind(buffer);
  const costs = {
    on: { candle: [] as Cost[], quiet: [] as Cost[] },
    off: { candle: [] as Cost[], quiet: [] as Cost[] },
  };
  const run = async (way: "on" | "off", candle: number, isCounted: boolean) => {
    buffer.note = way === "on" ? note : () => Promise.resolve();
    await ingest(candle);
    for (const minute of ["candle", "quiet"] as const) {
      const cost = await pollAll(sql, keys);
      if (isCounted) costs[way][minute].push(cost);
    }
  };
  // The first rounds warm up both variants.
  for (let round = -1; round < ROUNDS; round++)
    for (const [n, way] of (round % 2 === 0 ? (["on", "off"] as const) : (["off", "on"] as const)).entries())
      await run(way, 2 * (round + 1) + n, round >= 0);
  buffer.note = note;
  const middle = (way: "on" | "off", minute: Minute, what: keyof Cost) =>
    quantile(
      costs[way][minute].map((cost) => cost[what]),
      0.5,
    );
  const ofDay = (way: "on" | "off") =>
    (NEWS_A_DAY * middle(way, "candle", "cpuUs") +
      (POLLS_A_DAY - NEWS_A_DAY) * middle(way, "quiet", "cpuUs")) /
    POLLS_A_DAY;
  const share = ofDay("on") / ofDay("off") - 1;
  const line = (minute: Minute, words: string) => {
    const [on, off] = [middle("on", minute, "cpuUs"), middle("off", minute, "cpuUs")];
    const [perSecond, without] = [middle("on", minute, "perSecond"), middle("off", minute, "perSecond")];
    return `${words.padEnd(30)} ${on.toFixed(0)} us per poll, ${off.toFixed(0)} without recording: ${percent(on / off - 1)}; ${perSecond.toFixed(0)} polls a second, ${without.toFixed(0)} without`;
  };
  return {
    share,
    lines: [
      `${SUBSCRIBERS} subscribers, ${SYMBOLS.length * TIMEFRAMES.length} slots, medians of ${ROUNDS} rounds in turn, ${AT_ONCE} polls at once`,
      line("candle", "a minute with a new candle"),
      line("quiet", "a minute without"),
      `a day of ${NEWS_A_DAY} such minutes and ${POLLS_A_DAY - NEWS_A_DAY} quiet ones: ${percent(share)} (at most ${percent(MAX_SHARE)} wanted)`,
    ],
  };
}

const percent = (share: number) => `${share < 0 ? "-" : "+"}${Math.abs(100 * share).toFixed(1)} %`;

/** Polls once with each key, and writes the buffered heartbeats and fetches after each thirtieth of the keys. */
async function pollAll(sql: postgres.Sql, keys: readonly string[]): Promise<Cost> {
  const app = apiApp(MOUNTS);
  const before = await cpuMs(sql);
  const startedAt = performance.now();
  const slice = Math.ceil(keys.length / WRITES_A_MINUTE);
  for (let from = 0; from < keys.length; from += slice) {
    const asked = keys.slice(from, from + slice).values();
    const caller = async () => {
      for (const key of asked) {
        const answer = await app.fetch(
          new Request("http://localhost/api/scan", { headers: { "X-API-Key": key } }),
        );
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`a poll was answered ${answer.status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
    await Promise.all([heartbeatBuffer().flush(), signalFetchBuffer().flush()]);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpuUs = (1_000 * ((await cpuMs(sql)) - before)) / keys.length;
  return { cpuUs, perSecond: keys.length / seconds };
}

/** Processor time in milliseconds that this process and PostgreSQL have used so far. */
async function cpuMs(sql: postgres.Sql): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + (await databaseProcessorMs(sql));
}

/** Ingests a signal of each slot for the candle with this number. */
async function ingest(candle: number): Promise<void> {
  const items = SYMBOLS.flatMap((symbol) =>
    TIMEFRAMES.map((timeframe) => ({
      ...{ symbol, timeframe, signal: "NO_TRADE", confidence: 0.512345 },
      ts: new Date(startOfUtcDay(new Date()).getTime() - (60 - candle) * (DAY_MS / 6)).toISOString(),
      ...{ prob_buy: 0.243211, prob_sell: 0.244444, prob_no: 0.512345 },
      ...{ regime: "RANGE", expected_rr: 1.5, model_v: "bench-2026-11-22" },
    })),
  );
  const answer = await apiApp(MOUNTS).fetch(
    new Request("http://localhost/admin/ingest/signals", {
      method: "POST",
      headers: { "X-Admin-Secret": ADMIN_SECRET },
      body: JSON.stringify({ items }),
    }),
  );
  if (!answer.ok) throw new Error(await answer.text());
}

/**
 * Writes a day of first fetches with the service's own statement, in WRITES_A_MINUTE batches for each candle, and
 * measures their size.
 */
async function measureDay(sql: postgres.Sql) {
  await sql`truncate fetch_days`;
  const subscriptions = await sql<
    { id: number }[]
  >`select id from subscriptions order by id limit ${WRITTEN}`;
  const dayMs = startOfUtcDay(new Date()).getTime() - DAY_MS;
  const walAt = async () => {
    const [row] = await sql<
      { bytes: string }[]
    >`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes`;
    return Number(row?.bytes);
  };
  const slice = Math.ceil(WRITTEN / WRITES_A_MINUTE);
  await sql`checkpoint`;
  const before = await walAt();
  for (let candle = 0; candle < NEWS_A_DAY; candle++) {
    const atMs = dayMs + (candle * DAY_MS) / NEWS_A_DAY;
    for (let from = 0; from < WRITTEN; from += slice)
      await recordSignalFetchAdvances(
        db(),
        subscriptions.slice(from, from + slice).map(({ id }, n) => ({
          ...({ subscriptionId: id, way: "scan", slotId: 0, minConfidence: 0, reach: 1 } as const),
          ...{ upTo: 1_000_000 + 15 * candle, atMs: atMs + Math.floor(((from + n) * MINUTE_MS) / WRITTEN) },
        })),
      );
    // Autovacuum runs after as many updated rows as one candle causes; checkpoints are more frequent than candles.
    await sql`vacuum fetch_days`;
    await sql`checkpoint`;
  }
  const walMb = ((await walAt()) - before) / 1_048_576;
  const sizeMb = async () => {
    const [row] = await sql<{ bytes: string }[]>`select pg_total_relation_size('fetch_days') as bytes`;
    return Number(row?.bytes) / 1_048_576;
  };
  const asWritten = await sizeMb();
  await sql`vacuum full fetch_days`;
  const packed = await sizeMb();
  const times = SUBSCRIBERS / WRITTEN;
  return {
    mb: times * packed,
    lines: [
      `a day of ${NEWS_A_DAY} advances of ${WRITTEN} subscribers, indexes included: ${asWritten.toFixed(1)} MB as written, ${packed.toFixed(2)} MB packed (${((packed * 1_048_576) / WRITTEN / NEWS_A_DAY).toFixed(1)} bytes an advance), ${walMb.toFixed(0)} MB of WAL`,
      `of ${SUBSCRIBERS}: ${(times * packed).toFixed(0)} MB a day are kept (at most ${MAX_MB} wanted), ${(times * walMb).toFixed(0)} MB of WAL a day`,
    ],
  };
}
