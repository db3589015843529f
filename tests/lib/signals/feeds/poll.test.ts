import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { workerDb } from "@/db/client";
import { candleCloseMs, candleOpenMs } from "@/lib/market/timeframes";
import { parseMarketFeed } from "@/lib/runtime/feed-plan";
import type { Exchange, LoadExchange } from "@/lib/signals/feeds/ccxt";
import { loadExchange } from "@/lib/signals/feeds/ccxt";
import { runFeeds } from "@/lib/signals/feeds/run-feeds";
import type { Timeframe } from "@/lib/vocabulary";
import {
  type CandleFault,
  type CandleServer,
  startCandleServer,
  trueCandle,
} from "@/tests/support/candle-server";
import { tables, useDatabase } from "@/tests/support/database";
import { hasCcxt, loadersOf } from "@/tests/support/optional-library";

useDatabase({ MARKET_FEED: "off" });

const TOKEN = "a-token-of-oanda";
let sql: postgres.Sql;
let server: CandleServer;
beforeAll(() => {
  sql = tables();
});
afterAll(() => sql.end());
beforeEach(async () => {
  await sql`truncate candles, candle_corrections, feed_slots, feed_files, feeds cascade`;
  server = await startCandleServer();
});
afterEach(() => server.close());

/** Runs the feeds of a plan until `isDone`, at most 25 seconds. */
async function run(
  plan: string,
  isDone: () => Promise<boolean>,
  options: { backfill?: number; load?: LoadExchange } = {},
): Promise<void> {
  const parsed = parseMarketFeed(plan);
  if ("problem" in parsed) throw new Error(parsed.problem);
  const abort = new AbortController();
  const config = {
    feeds: parsed.feeds,
    oandaToken: TOKEN,
    oandaApiRoot: server.url,
    ccxtApiRoot: server.url,
    feedBackfillCandles: options.backfill ?? 50,
  };
  const running = runFeeds(workerDb(), abort.signal, {
    config,
    standInAfterMs: 1_500,
    ...(options.load ? { loadExchange: options.load } : {}),
  });
  try {
    const endMs = Date.now() + 25_000;
    while (!(await isDone())) {
      if (Date.now() > endMs) throw new Error(`not done: ${JSON.stringify(await sql`select * from feeds`)}`);
      await pause(50);
    }
  } finally {
    abort.abort();
    await running;
  }
}

const stored = async (symbol: string, timeframe: Timeframe) =>
  sql<{ ts: Date; open: number; high: number; low: number; close: number; volume: number }[]>`
    select c.ts, c.open, c.high, c.low, c.close, c.volume from candles c join slots s on s.id = c.slot_id
     where s.symbol = ${symbol} and s.timeframe = ${timeframe} order by c.ts`;

/** Whether the newest candle that has closed is stored. */
const isUpToDate = (symbol: string, timeframe: Timeframe) => async () => {
  const newest = (await stored(symbol, timeframe)).at(-1);
  const lastMs = candleOpenMs(candleOpenMs(Date.now(), timeframe) - 1, timeframe);
  return newest !== undefined && newest.ts.getTime() >= lastMs;
};

/** Each closed candle once, as the source has it, none half and none left out. */
async function expectWhole(symbol: string, timeframe: Timeframe, instrument: string): Promise<void> {
  const rows = await stored(symbol, timeframe);
  expect(rows.length).toBeGreaterThan(10);
  for (const [i, row] of rows.entries()) {
    const openMs = row.ts.getTime();
    expect({ ...row, ts: openMs }).toEqual(trueCandle(instrument, timeframe, openMs));
    expect(candleCloseMs(openMs, timeframe)).toBeLessThanOrEqual(Date.now());
    const next = rows[i + 1];
    if (next) expect(next.ts.getTime()).toBe(candleCloseMs(openMs, timeframe));
  }
}

const feed = async () => (await sql`select * from feeds`)[0];

describe("OANDA", () => {
  it("fills the past of every slot up to the newest closed candle, by pages, with its token", async () => {
    const isDone = async () => (await isUpToDate("BTCUSD", "M5")()) && (await isUpToDate("BTCUSD", "H4")());
    await run("oanda(BTCUSD=BTC_USD:M5,H4)", isDone, { backfill: 6_000 });
    await expectWhole("BTCUSD", "M5", "BTC_USD");
    await expectWhole("BTCUSD", "H4", "BTC_USD");
    expect((await stored("BTCUSD", "M5")).length).toBeGreaterThanOrEqual(6_000);
    const [first] = server.requests;
    expect(first?.authorization).toBe(`Bearer ${TOKEN}`);
    expect(Object.fromEntries(first?.query ?? [])).toMatchObject({
      granularity: "M5",
      price: "M",
      dailyAlignment: "0",
      alignmentTimezone: "UTC",
    });
    expect(await feed()).toMatchObject({ name: "oanda", state: "ok", last_error: null });
    expect(await sql`select 1 from candle_corrections`).toHaveLength(0);
  });

  it("goes on where it stood after a stop, and asks for nothing twice but the overlap", async () => {
    await run("oanda(BTCUSD=BTC_USD:M1)", isUpToDate("BTCUSD", "M1"));
    const before = await stored("BTCUSD", "M1");
    await sql`delete from candles where ts > ${before[20]?.ts ?? ""}`;
    await sql`update feed_slots set last_ts = ${before[20]?.ts ?? ""}`;
    server.requests.length = 0;
    await run("oanda(BTCUSD=BTC_USD:M1)", isUpToDate("BTCUSD", "M1"));
    await expectWhole("BTCUSD", "M1", "BTC_USD");
    expect(server.requests[0]?.query.get("from")).toBe(before[18]?.ts.toISOString());
  });

  it("fills holes that others left", async () => {
    await run("oanda(BTCUSD=BTC_USD:M1)", isUpToDate("BTCUSD", "M1"));
    const rows = await stored("BTCUSD", "M1");
    await sql`delete from candles where ts >= ${rows[10]?.ts ?? ""} and ts < ${rows[14]?.ts ?? ""}`;
    await run(
      "oanda(BTCUSD=BTC_USD:M1)",
      async () =>
        (await stored("BTCUSD", "M1")).length >= rows.length && (await isUpToDate("BTCUSD", "M1")()),
    );
    await expectWhole("BTCUSD", "M1", "BTC_USD");
  });

  it.each<CandleFault>(["429", "500", "dropped", "truncated", "duplicated", "late", "missing"])(
    "survives an answer that is %s",
    async (fault) => {
      let answers = 0;
      server.fault = () => (answers++ < 2 ? fault : null);
      await run(
        "oanda(BTCUSD=BTC_USD:M1)",
        async () => {
          const rows = await stored("BTCUSD", "M1");
          const [first, last] = [rows[0], rows.at(-1)];
          if (!first || !last || !(await isUpToDate("BTCUSD", "M1")())) return false;
          return rows.length === (last.ts.getTime() - first.ts.getTime()) / 60_000 + 1;
        },
        { backfill: 30 },
      );
      await expectWhole("BTCUSD", "M1", "BTC_USD");
    },
    30_000,
  );

  it("waits as long as a 429 says", async () => {
    let answers = 0;
    server.fault = () => (answers++ === 0 ? "429" : null);
    await run("oanda(BTCUSD=BTC_USD:M1 ETHUSD=ETH_USD:M1)", isUpToDate("ETHUSD", "M1"));
    const [first, second] = server.requests;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(950);
    expect((await feed())?.last_error).toContain("asked too often");
  });

  it.each<[CandleFault, string]>([
    ["an hour ahead", "60 minutes ahead"],
    ["an hour behind", "60 minutes behind"],
  ])("stores nothing while its clock is %s, and says so", async (fault, said) => {
    server.fault = () => fault;
    await run("oanda(BTCUSD=BTC_USD:M1)", async () => (await feed())?.state === "held");
    expect(await stored("BTCUSD", "M1")).toHaveLength(0);
    expect((await feed())?.last_error).toContain(said);
  });

  it("says that the token is refused, and not what it is", async () => {
    server.fault = () => "401";
    await run("oanda(BTCUSD=BTC_USD:M1)", async () => (await feed())?.state === "refused");
    expect((await feed())?.last_error).toContain("does not accept the token");
    expect(JSON.stringify(await feed())).not.toContain(TOKEN);
  });

  it("keeps one instrument that is not there from holding up the others", async () => {
    server.fault = (instrument) => (instrument === "NO_SUCH" ? "401" : null);
    await run("oanda(XXXUSD=NO_SUCH:M1 BTCUSD=BTC_USD:M1)", isUpToDate("BTCUSD", "M1"));
    await expectWhole("BTCUSD", "M1", "BTC_USD");
  });
});

/** Calls Binance's REST interface as the library does. It stands in where the library, which is optional, is not installed. */
const plainExchange: LoadExchange = async () => {
  const exchange: Exchange = {
    has: { fetchTime: true, fetchOHLCV: true },
    timeframes: { "1m": "1m", "1h": "1h" },
    urls: { api: { public: "https://api.example.com/api/v3" } },
    fetchTime: async () => (await ask("/time")).serverTime,
    fetchOHLCV: async (symbol, interval, since, limit) => {
      const rows = await ask(
        `/klines?symbol=${symbol.replace("/", "")}&interval=${interval}&startTime=${since}&limit=${limit}`,
      );
      return rows.map((row: string[]) => row.slice(0, 6).map(Number));
    },
  };
  const ask = async (path: string) => {
    const { public: root } = exchange.urls.api as { public: string };
    const response = await fetch(`${root}${path}`).catch(() => {
      throw new NetworkError();
    });
    if (response.status === 429) throw new RateLimitExceeded();
    if (!response.ok) throw new NetworkError();
    return response.json();
  };
  return exchange;
};
class NetworkError extends Error {}
class RateLimitExceeded extends NetworkError {}

const isThere = await hasCcxt();
const LOADERS = loadersOf<LoadExchange>("ccxt", isThere, { documented: plainExchange, own: loadExchange });

describe.each(LOADERS)("Binance by %s", (_name, load) => {
  const plan = "ccxt:binance(BTCUSD=BTC/USDT:M1)";

  it("fills the past by pages and leaves the candle out that still forms", async () => {
    await run(plan, isUpToDate("BTCUSD", "M1"), { backfill: 1_200, load });
    await expectWhole("BTCUSD", "M1", "BTCUSDT");
    expect((await stored("BTCUSD", "M1")).length).toBeGreaterThanOrEqual(1_200);
  });

  it.each<CandleFault>(["500", "dropped", "truncated", "duplicated", "late"])(
    "survives an answer that is %s",
    async (fault) => {
      let answers = 0;
      server.fault = (instrument) => (instrument !== "" && answers++ < 2 ? fault : null);
      await run(plan, isUpToDate("BTCUSD", "M1"), { backfill: 30, load });
      await expectWhole("BTCUSD", "M1", "BTCUSDT");
    },
    30_000,
  );

  it("stores nothing while the exchange's clock is an hour off", async () => {
    server.fault = () => "an hour ahead";
    await run(plan, async () => (await feed())?.state === "held", { load });
    expect(await stored("BTCUSD", "M1")).toHaveLength(0);
  });
});

describe("a library that is not there", () => {
  it.skipIf(isThere)("is named with the command that installs it", async () => {
    await run("ccxt:binance(BTCUSD=BTC/USDT:M1)", async () => (await feed())?.state === "refused");
    expect((await feed())?.last_error).toContain("npm install ccxt");
  });
});

describe("two feeds of one slot", () => {
  const plan = "ccxt:binance(BTCUSD=BTC/USDT:M1); oanda(BTCUSD=BTC_USD:M1)";
  const row = async (name: string) => (await sql`select * from feed_slots where feed = ${name}`)[0];

  it("the first leads; the other is compared with it, and where it is far off a row says so", async () => {
    await run(
      plan,
      async () => (await isUpToDate("BTCUSD", "M1")()) && Number((await row("oanda"))?.n_compared ?? 0) > 50,
      { backfill: 300, load: plainExchange },
    );
    const rows = await stored("BTCUSD", "M1");
    for (const candle of rows.slice(0, -2))
      expect(candle.close).toBe(trueCandle("BTCUSDT", "M1", candle.ts.getTime()).close);
    const second = await row("oanda");
    expect(Number(second?.n_differing)).toBeGreaterThan(0);
    expect(Number(second?.max_diff_bps)).toBeGreaterThan(10);
    const differences = await sql`select * from candle_corrections where source = 'oanda'`;
    expect(differences.every(({ applied }) => applied === false)).toBe(true);
    expect(differences).toHaveLength(Number(second?.n_differing));
  }, 30_000);
});
