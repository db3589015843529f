import { randomUUID } from "node:crypto";
import { join } from "node:path";
import postgres from "postgres";
import { type EmbeddedDatabase, startEmbeddedDatabase } from "@/db/embedded/cluster";
import { migrateDatabase } from "@/db/migrate";
import { keyHint } from "@/lib/access/keys/key-text";
import { sha256 } from "@/lib/runtime/secrets";
import { testEnvironment } from "@/tests/support/database";
import { type RunningServer, startProcess, startServer } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

export interface BenchService {
  server: RunningServer;
  sql: postgres.Sql;
  databaseUrl: string;
  stop(): Promise<void>;
}

/**
 * Starts the production server on an embedded database, logging to a file. The database is new unless `directory`
 * contains one from an earlier run.
 */
export async function startBenchService(
  extra: Record<string, string> = {},
  directory = temporaryDirectory("signal-bench-"),
): Promise<BenchService> {
  process.env.TEST_DIRECTORY = directory;
  const embedded: EmbeddedDatabase = await startEmbeddedDatabase(directory);
  await migrateDatabase(embedded.url);
  const server = await startServer(embedded.url, {
    LOG_LEVEL: "info",
    LOG_FILE: join(directory, "service.log"),
    ...extra,
  });
  const sql = postgres(embedded.url, { max: 4, onnotice: () => undefined });
  return {
    server,
    sql,
    databaseUrl: embedded.url,
    stop: async () => {
      await sql.end({ timeout: 2 });
      await server.stop();
      await embedded.stop();
    },
  };
}

/** Starts a server without a worker, and a separate worker, as `deploy/` does. */
export async function startServiceAndWorker(
  extra: Record<string, string>,
): Promise<BenchService & { worker: RunningServer }> {
  const service = await startBenchService({ ...extra, WORKER: "none" });
  const worker = await startProcess(
    "worker.mjs",
    testEnvironment(service.databaseUrl, { LOG_LEVEL: "warn", ...extra }),
    0,
    () => true,
  );
  return {
    ...service,
    worker,
    stop: async () => {
      await worker.kill();
      await service.stop();
    },
  };
}

/** Creates `count` subscriptions with a key of this plan each, directly in the database. Returns the keys. */
export async function makeKeys(sql: postgres.Sql, count: number, plan: string): Promise<string[]> {
  const keys = Array.from({ length: count }, () => randomUUID());
  await sql`
    with made as (
      insert into subscriptions (user_name) select 'bench ' || n from generate_series(1, ${count}::int) n returning id
    ), numbered as (select id, row_number() over (order by id) as n from made)
    insert into api_keys (subscription_id, key_hash, hint, plan_tier)
    select numbered.id, k.hash, k.hint, ${plan} from numbered
      join unnest(${keys.map(sha256)}::text[], ${keys.map(keyHint)}::text[]) with ordinality as k(hash, hint, n) on k.n = numbered.n`;
  await sql`analyze api_keys`;
  return keys;
}

/**
 * Ingests one NO_TRADE signal for each of 14 symbols on H1 and H4, all with the open time of the last closed H4 candle.
 */
export async function ingestScan(server: RunningServer, adminSecret: string): Promise<void> {
  const symbols = [
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
  const ts = new Date(Math.floor(Date.now() / 14_400_000 - 1) * 14_400_000).toISOString();
  const items = symbols.flatMap((symbol) =>
    ["H1", "H4"].map((timeframe) => ({
      symbol,
      timeframe,
      ts,
      signal: "NO_TRADE",
      confidence: 0.512345,
      prob_buy: 0.243211,
      prob_sell: 0.244444,
      prob_no: 0.512345,
      regime: "RANGE",
      expected_rr: 1.5,
      model_v: "bench-2026-11-21",
    })),
  );
  const answer = await fetch(`${server.url}/admin/ingest/signals`, {
    method: "POST",
    headers: { "X-Admin-Secret": adminSecret },
    body: JSON.stringify({ items }),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
