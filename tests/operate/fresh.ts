import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pickFreePort } from "@/db/embedded/cluster";
import { simulateWalk } from "@/tests/research/simulated-walk";
import { startProcess, waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const HOUR_MS = 3_600_000;
const SYMBOLS = ["BTCUSD", "ETHUSD"];
/** Number of candles per symbol. */
const CANDLES = 22_500;
const PER_REQUEST = 5_000;
/** Maximum time from the last ingested candle to a signal of each slot. */
const SIGNALS_WITHIN_MS = 120_000;
/** Maximum time until both slots are trained. A training of this size takes half a minute on an idle processor. */
const TRAINED_WITHIN_MS = 900_000;

/**
 * Starts a new service without a market feed and ingests 45,000 candles of two symbols. Throws unless each slot gets a
 * signal for its newest candle, with a range, and a training, and no signal for a candle that closed more than two
 * hours before the start. Needs the build.
 */
export async function runFreshService(): Promise<string[]> {
  const folder = temporaryDirectory("signal-fresh-");
  mkdirSync(join(folder, "data"), { recursive: true });
  const port = await pickFreePort();
  const base = `http://127.0.0.1:${port}`;
  const server = await startProcess(
    "server.mjs",
    {
      PORT: String(port),
      BASE_URL: base,
      DATA_DIR: join(folder, "data"),
      MARKET_FEED: "off",
      LOG_FILE: "",
      LOG_LEVEL: "info",
    },
    port,
    (output) => output.includes("is ready at"),
  );
  const startedMs = Date.now();
  const lines: string[] = [];
  const tell = (line: string) => {
    lines.push(line);
    process.stdout.write(`  ${line}\n`);
  };
  try {
    const { adminSecret } = JSON.parse(readFileSync(join(folder, "data", "secrets.json"), "utf8"));
    const admin = { "X-Admin-Secret": String(adminSecret) };
    const { api_key } = await ask(`${base}/admin/keys`, admin, {
      user_name: "Fresh",
      email: "fresh@example.com",
      plan_tier: "pro",
    });
    const key = { "X-API-Key": String(api_key) };
    const newestMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
    const ingestFromMs = Date.now();
    for (const [k, symbol] of SYMBOLS.entries()) await ingest(base, admin, symbol, newestMs, k + 1);
    tell(`${SYMBOLS.length * CANDLES} candles ingested in ${seconds(ingestFromMs)}`);

    const sentMs = Date.now();
    const scan = () => ask(`${base}/api/scan?expand=range`, key);
    let items: Scanned[] = [];
    await waitUntil(async () => {
      // Polls slowly, because the key's plan has a rate limit per minute.
      await pause(2_000);
      ({ items } = await scan());
      return items.length === SYMBOLS.length;
    }, SIGNALS_WITHIN_MS);
    tell(
      `a signal of each slot after ${seconds(sentMs)}: ${items.map((item) => `${item.symbol} ${item.ts} ${item.signal}`).join(", ")}`,
    );
    // Only candles up to `newestMs` were sent, even if another hour has ended meanwhile.
    const late = items.filter(({ ts }) => Date.parse(ts) !== newestMs);
    if (late.length > 0) throw new Error("a signal is of another candle than the newest");
    if (items.some(({ range }) => range === null)) throw new Error("a signal came without its range");

    const { items: counted } = await ask(`${base}/api/performance?days=365`, key);
    const n = counted.reduce((sum: number, row: { n_signals: number }) => sum + row.n_signals, 0);
    const { signals } = await ask(`${base}/api/account/signals?days=90&include_no_trade=true&limit=500`, key);
    const before = signals.filter(
      ({ ts }: { ts: string }) => Date.parse(ts) + HOUR_MS < startedMs - 2 * HOUR_MS,
    );
    if (before.length > 0) throw new Error(`${before.length} signals are of candles from before the start`);
    if (n !== signals.length)
      throw new Error(`${n} signals count in performance, ${signals.length} are listed`);
    tell(`${n} signals count in performance, none of a candle that closed long before the start`);

    const trained = () => server.output().split("a slot was trained").length - 1;
    await waitUntil(async () => trained() >= SYMBOLS.length, TRAINED_WITHIN_MS, server.output);
    const { models } = await ask(`${base}/api/models`, key);
    tell(
      `both trained by themselves ${seconds(sentMs)} after the last candle: ${models.map((model: { symbol: string; model_v: string }) => `${model.symbol} ${model.model_v}`).join(", ")}`,
    );
  } finally {
    await server.stop();
    await pause(500);
    rmSync(folder, { recursive: true, force: true });
  }
  return lines;
}

interface Scanned {
  symbol: string;
  ts: string;
  signal: string;
  range: object | null;
}

async function ingest(
  base: string,
  admin: Record<string, string>,
  symbol: string,
  newestMs: number,
  seed: number,
): Promise<void> {
  const walk = simulateWalk("clustered", CANDLES, seed);
  for (let from = 0; from < CANDLES; from += PER_REQUEST) {
    const items = Array.from({ length: Math.min(PER_REQUEST, CANDLES - from) }, (_, k) => {
      const i = from + k;
      return {
        symbol,
        timeframe: "H1",
        ts: new Date(newestMs - (CANDLES - 1 - i) * HOUR_MS).toISOString(),
        open: walk.open[i],
        high: walk.high[i],
        low: walk.low[i],
        close: walk.close[i],
        volume: 1,
      };
    });
    await ask(`${base}/admin/ingest/candles`, admin, { items });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape, looked at where they are read
async function ask(url: string, headers: Record<string, string>, body?: object): Promise<any> {
  const answer = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

const seconds = (sinceMs: number) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
