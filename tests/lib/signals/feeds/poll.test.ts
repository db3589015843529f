import { setTimeout as pause } from "node:timers/promises";
import { describe, expect } from "vitest";
import { candleCloseMs, candleOpenMs } from "@/lib/market/timeframes";
import { parseMarketFeed } from "@/lib/runtime/feed-plan";
import type { Exchange, LoadExchange } from "@/lib/signals/feeds/ccxt";
import { loadExchange } from "@/lib/signals/feeds/ccxt";
import { runFeeds } from "@/lib/signals/feeds/run-feeds";
import type { Timeframe } from "@/lib/vocabulary";
import { type CandleFault, trueCandle } from "@/tests/support/candle-server";
import { useDatabase } from "@/tests/support/database";
import { type FeedFixture, itWithCandleServer } from "@/tests/support/feed-fixture";
import { hasCcxt, loadersOf } from "@/tests/support/optional-library";

useDatabase({ MARKET_FEED: "off" });

const TOKEN = "a-token-of-oanda";

/** Runs the feeds of a plan until `isDone`, at most 25 seconds. */
async function run(
  { server, database, sql }: FeedFixture,
  plan: string,
  isDone: () => Promise<boolean>,
  options: { backfill?: number; load?: LoadExchange } = {},
): Promise<void> {
  const parsed = parseMarketFeed(plan);
  if ("problem" in parsed) throw new Error(parsed.problem);
  const abort = new AbortController();
  const config = {
    feeds: parsed.feeds,
    oandaToken: () => TOKEN,
    oandaApiRoot: server.url,
    ccxtApiRoot: server.url,
    feedBackfillCandles: options.backfill ?? 50,
  };
  const running = runFeeds(database, abort.signal, {
    config,
    nonLeadingDelayMs: 1_500,
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

const stored = async ({ sql }: FeedFixture, symbol: string, timeframe: Timeframe) =>
  sql<{ ts: Date; open: number; high: number; low: number; close: number; volume: number }[]>`
    select c.ts, c.open, c.high, c.low, c.close, c.volume from candles c join slots s on s.id = c.slot_id
     where s.symbol = ${symbol} and s.timeframe = ${timeframe} order by c.ts`;

/** Whether the newest closed candle is stored. */
const isUpToDate = (stage: FeedFixture, symbol: string, timeframe: Timeframe) => async () => {
  const newest = (await stored(stage, symbol, timeframe)).at(-1);
  const lastMs = candleOpenMs(candleOpenMs(Date.now(), timeframe) - 1, timeframe);
  return newest !== undefined && newest.ts.getTime() >= lastMs;
};

/** Asserts that each closed candle is stored once with the source's values, none partial or missing. */
async function expectWhole(
  stage: FeedFixture,
  symbol: string,
  timeframe: Timeframe,
  instrument: string,
): Promise<void> {
  const rows = await stored(stage, symbol, timeframe);
  expect(rows.length).toBeGreaterThan(10);
  for (const [i, row] of rows.entries()) {
    const openMs = row.ts.getTime();
    expect({ ...row, ts: openMs }).toEqual(trueCandle(instrument, timeframe, openMs));
    expect(candleCloseMs(openMs, timeframe)).toBeLessThanOrEqual(Date.now());
    const next = rows[i + 1];
    if (next) expect(next.ts.getTime()).toBe(candleCloseMs(openMs, timeframe));
  }
}

const feed = async ({ sql }: FeedFixture) => (await sql`select * from feeds`)[0];

describe.concurrent("OANDA", () => {
  itWithCandleServer(
    "the OANDA feed loads the history of every slot by pages up to the newest closed candle, with the token",
    async ({ stage }) => {
      const isDone = async () =>
        (await isUpToDate(stage, "BTCUSD", "M5")()) && (await isUpToDate(stage, "BTCUSD", "H4")());
      await run(stage, "oanda(BTCUSD=BTC_USD:M5,H4)", isDone, { backfill: 6_000 });
      await expectWhole(stage, "BTCUSD", "M5", "BTC_USD");
      await expectWhole(stage, "BTCUSD", "H4", "BTC_USD");
      expect((await stored(stage, "BTCUSD", "M5")).length).toBeGreaterThanOrEqual(6_000);
      const [first] = stage.server.requests;
      expect(first?.authorization).toBe(`Bearer ${TOKEN}`);
      expect(Object.fromEntries(first?.query ?? [])).toMatchObject({
        granularity: "M5",
        price: "M",
        dailyAlignment: "0",
        alignmentTimezone: "UTC",
      });
      expect(await feed(stage)).toMatchObject({ name: "oanda", state: "ok", last_error: null });
      expect(await stage.sql`select 1 from candle_corrections`).toHaveLength(0);
    },
  );

  itWithCandleServer(
    "the OANDA feed continues where it stopped, and requests again only the overlap",
    async ({ stage }) => {
      await run(stage, "oanda(BTCUSD=BTC_USD:M1)", isUpToDate(stage, "BTCUSD", "M1"));
      const before = await stored(stage, "BTCUSD", "M1");
      await stage.sql`delete from candles where ts > ${before[20]?.ts ?? ""}`;
      await stage.sql`update feed_slots set last_ts = ${before[20]?.ts ?? ""}`;
      stage.server.requests.length = 0;
      await run(stage, "oanda(BTCUSD=BTC_USD:M1)", isUpToDate(stage, "BTCUSD", "M1"));
      await expectWhole(stage, "BTCUSD", "M1", "BTC_USD");
      expect(stage.server.requests[0]?.query.get("from")).toBe(before[18]?.ts.toISOString());
    },
  );

  itWithCandleServer("the OANDA feed fills a gap in the stored candles", async ({ stage }) => {
    await run(stage, "oanda(BTCUSD=BTC_USD:M1)", isUpToDate(stage, "BTCUSD", "M1"));
    const rows = await stored(stage, "BTCUSD", "M1");
    await stage.sql`delete from candles where ts >= ${rows[10]?.ts ?? ""} and ts < ${rows[14]?.ts ?? ""}`;
    await run(
      stage,
      "oanda(BTCUSD=BTC_USD:M1)",
      async () =>
        (await stored(stage, "BTCUSD", "M1")).length >= rows.length &&
        (await isUpToDate(stage, "BTCUSD", "M1")()),
    );
    await expectWhole(stage, "BTCUSD", "M1", "BTC_USD");
  });

  for (const fault of [
    "429",
    "500",
    "dropped",
    "truncated",
    "duplicated",
    "late",
    "missing",
  ] satisfies CandleFault[])
    itWithCandleServer(
      `an OANDA answer that is ${fault} does not prevent the complete history`,
      { timeout: 30_000 },
      async ({ stage }) => {
        let answers = 0;
        stage.server.fault = () => (answers++ < 2 ? fault : null);
        await run(
          stage,
          "oanda(BTCUSD=BTC_USD:M1)",
          async () => {
            const rows = await stored(stage, "BTCUSD", "M1");
            const [first, last] = [rows[0], rows.at(-1)];
            if (!first || !last || !(await isUpToDate(stage, "BTCUSD", "M1")())) return false;
            return rows.length === (last.ts.getTime() - first.ts.getTime()) / 60_000 + 1;
          },
          { backfill: 30 },
        );
        await expectWhole(stage, "BTCUSD", "M1", "BTC_USD");
      },
    );

  itWithCandleServer("the OANDA feed waits as long as the Retry-After of a 429 says", async ({ stage }) => {
    let answers = 0;
    stage.server.fault = () => (answers++ === 0 ? "429" : null);
    await run(stage, "oanda(BTCUSD=BTC_USD:M1 ETHUSD=ETH_USD:M1)", isUpToDate(stage, "ETHUSD", "M1"));
    const [first, second] = stage.server.requests;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(950);
    expect((await feed(stage))?.last_error).toContain("rate limit");
  });

  for (const [fault, said] of [
    ["an hour ahead", "60 minutes ahead"],
    ["an hour behind", "60 minutes behind"],
  ] satisfies [CandleFault, string][])
    itWithCandleServer(
      `the OANDA feed stores nothing while the source's clock is ${fault}, and reports it`,
      async ({ stage }) => {
        stage.server.fault = () => fault;
        await run(stage, "oanda(BTCUSD=BTC_USD:M1)", async () => (await feed(stage))?.state === "held");
        expect(await stored(stage, "BTCUSD", "M1")).toHaveLength(0);
        expect((await feed(stage))?.last_error).toContain(said);
      },
    );

  itWithCandleServer(
    "the OANDA feed reports that the token is refused, without the token",
    async ({ stage }) => {
      stage.server.fault = () => "401";
      await run(stage, "oanda(BTCUSD=BTC_USD:M1)", async () => (await feed(stage))?.state === "refused");
      expect((await feed(stage))?.last_error).toContain("does not accept the token");
      expect(JSON.stringify(await feed(stage))).not.toContain(TOKEN);
    },
  );

  itWithCandleServer(
    "an unknown instrument of the OANDA feed does not keep another one from its complete history",
    async ({ stage }) => {
      stage.server.fault = (instrument) => (instrument === "NO_SUCH" ? "401" : null);
      await run(stage, "oanda(XXXUSD=NO_SUCH:M1 BTCUSD=BTC_USD:M1)", isUpToDate(stage, "BTCUSD", "M1"));
      await expectWhole(stage, "BTCUSD", "M1", "BTC_USD");
    },
  );
});

/** Calls Binance's REST API like the library, for machines without the optional library. */
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

describe.concurrent.each(LOADERS)("Binance by %s", (_name, load) => {
  const plan = "ccxt:binance(BTCUSD=BTC/USDT:M1)";

  itWithCandleServer(
    "the Binance feed loads the history by pages without the candle that is still forming",
    async ({ stage }) => {
      await run(stage, plan, isUpToDate(stage, "BTCUSD", "M1"), { backfill: 1_200, load });
      await expectWhole(stage, "BTCUSD", "M1", "BTCUSDT");
      expect((await stored(stage, "BTCUSD", "M1")).length).toBeGreaterThanOrEqual(1_200);
    },
  );

  for (const fault of ["500", "dropped", "truncated", "duplicated", "late"] satisfies CandleFault[])
    itWithCandleServer(
      `a Binance answer that is ${fault} does not prevent the complete history`,
      { timeout: 30_000 },
      async ({ stage }) => {
        let answers = 0;
        stage.server.fault = (instrument) => (instrument !== "" && answers++ < 2 ? fault : null);
        await run(stage, plan, isUpToDate(stage, "BTCUSD", "M1"), { backfill: 30, load });
        await expectWhole(stage, "BTCUSD", "M1", "BTCUSDT");
      },
    );

  itWithCandleServer(
    "the Binance feed stores nothing while the exchange's clock is an hour ahead",
    async ({ stage }) => {
      stage.server.fault = () => "an hour ahead";
      await run(stage, plan, async () => (await feed(stage))?.state === "held", { load });
      expect(await stored(stage, "BTCUSD", "M1")).toHaveLength(0);
    },
  );
});

describe.concurrent("a missing library", () => {
  itWithCandleServer.skipIf(isThere)(
    "a missing ccxt library is named with the command that installs it",
    async ({ stage }) => {
      await run(
        stage,
        "ccxt:binance(BTCUSD=BTC/USDT:M1)",
        async () => (await feed(stage))?.state === "refused",
      );
      expect((await feed(stage))?.last_error).toContain("npm install ccxt");
    },
  );
});

describe.concurrent("two feeds of one slot", () => {
  const plan = "ccxt:binance(BTCUSD=BTC/USDT:M1); oanda(BTCUSD=BTC_USD:M1)";
  const row = async ({ sql }: FeedFixture, name: string) =>
    (await sql`select * from feed_slots where feed = ${name}`)[0];

  itWithCandleServer(
    "the candles of the first feed are stored; the other feed is compared, and each large difference is a row",
    async ({ stage }) => {
      await run(
        stage,
        plan,
        async () =>
          (await isUpToDate(stage, "BTCUSD", "M1")()) &&
          Number((await row(stage, "oanda"))?.n_compared ?? 0) > 50,
        { backfill: 300, load: plainExchange },
      );
      const rows = await stored(stage, "BTCUSD", "M1");
      for (const candle of rows.slice(0, -2))
        expect(candle.close).toBe(trueCandle("BTCUSDT", "M1", candle.ts.getTime()).close);
      const second = await row(stage, "oanda");
      expect(Number(second?.n_differing)).toBeGreaterThan(0);
      expect(Number(second?.max_diff_bps)).toBeGreaterThan(10);
      const differences = await stage.sql`select * from candle_corrections where source = 'oanda'`;
      expect(differences.every(({ applied }) => applied === false)).toBe(true);
      expect(differences).toHaveLength(Number(second?.n_differing));
    },
    30_000,
  );
});
