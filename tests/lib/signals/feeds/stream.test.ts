import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { candleCloseMs, candleOpenMs } from "@/lib/market/timeframes";
import { parseMarketFeed } from "@/lib/runtime/feed-plan";
import { type Exchange, type LoadExchange, loadExchange } from "@/lib/signals/feeds/ccxt";
import { runFeeds } from "@/lib/signals/feeds/run-feeds";
import type { SentCandle } from "@/lib/signals/feeds/source";
import { StreamedSlot } from "@/lib/signals/feeds/streamed-slot";
import { type StreamFault, trueCandle } from "@/tests/support/candle-server";
import { useDatabase } from "@/tests/support/database";
import { type FeedStage, itOnStage } from "@/tests/support/feed-stage";
import { hasCcxt, loadersOf } from "@/tests/support/optional-library";

useDatabase({ MARKET_FEED: "off" });

const MINUTE_MS = 60_000;

describe("what a stream shows of a slot", () => {
  const sent = (minute: number, close: number): SentCandle => ({
    ts: new Date(minute * MINUTE_MS),
    open: 1,
    high: 5,
    low: 0.5,
    close,
    volume: 10,
    isComplete: null,
  });
  /** A stream that ended so many candles as the source has them. */
  function agreed(candles: number): StreamedSlot {
    const slot = new StreamedSlot();
    for (let minute = 0; minute <= candles; minute++) slot.take([sent(minute, 2)]);
    slot.check(Array.from({ length: candles }, (_, minute) => sent(minute, 2)));
    return slot;
  }

  it("a candle is closed by the next one, as it was told last, and none that forms ever is", () => {
    const slot = new StreamedSlot();
    expect([sent(1, 2), sent(1, 3), sent(1, 4)].flatMap((candle) => slot.take([candle]))).toEqual([]);
    expect(slot.take([sent(2, 1)])).toEqual([sent(1, 4)]);
    expect(slot.take([sent(3, 1), sent(2, 2)])).toEqual([sent(2, 2)]);
  });

  it("what comes twice, too late or without a time changes nothing", () => {
    const slot = new StreamedSlot();
    slot.take([sent(1, 4)]);
    expect(slot.take([sent(2, 1)])).toEqual([sent(1, 4)]);
    expect(slot.take([sent(1, 9), sent(2, 1)])).toEqual([]);
    expect(slot.take([sent(Number.NaN, 9)])).toEqual([]);
    expect(slot.take([sent(3, 1)])).toEqual([sent(2, 1)]);
  });

  it("a candle whose end may have been missed while the connection was away is not closed by it", () => {
    const slot = new StreamedSlot();
    slot.take([sent(1, 4)]);
    slot.reconnect();
    expect(slot.take([sent(1, 4), sent(2, 1)])).toEqual([]);
    expect(slot.take([sent(3, 1)])).toEqual([sent(2, 1)]);
  });

  it("is believed after ten candles that ended as the source says, and never again after one that did not", () => {
    expect(agreed(9).isTrusted).toBe(false);
    const slot = agreed(10);
    expect(slot.isTrusted).toBe(true);
    slot.take([sent(11, 3)]);
    slot.take([sent(12, 3)]);
    // The source may book the last trades of a candle late itself.
    slot.check([sent(11, 4), sent(12, 2)]);
    expect(slot.isTrusted).toBe(true);
    slot.check([sent(11, 4), sent(12, 3), sent(13, 2)]);
    expect(slot.isTrusted).toBe(false);
    expect(slot.following([sent(11, 4)], "M1")).toEqual([]);
  });

  it("candles that closed behind a hole follow on what the source says of the hole, and no further than the next one", () => {
    const slot = agreed(10);
    slot.reconnect();
    for (const minute of [13, 14, 15]) slot.take([sent(minute, 2)]);
    slot.reconnect();
    for (const minute of [17, 18]) slot.take([sent(minute, 2)]);
    const closed = [13, 14].map((minute) => ({ ...sent(minute, 2), isComplete: true }));
    expect(slot.following([sent(10, 2), sent(11, 2)], "M1")).toEqual([]);
    expect(slot.following([sent(11, 2), sent(12, 2)], "M1")).toEqual(closed);
    expect(agreed(9).following([sent(8, 2)], "M1")).toEqual([]);
  });
});

/** Calls Binance's REST interface and streams as the library does, which is optional and may not be installed. */
const plainExchange: LoadExchange = async () => {
  let socket: WebSocket | null = null;
  let wake: (() => void) | null = null;
  let changed = new Map<number, unknown>();
  const exchange: Exchange = {
    has: { fetchTime: true, fetchOHLCV: true, watchOHLCV: true },
    timeframes: { "1m": "1m" },
    urls: { api: { public: "https://api.example.com/api/v3", ws: { spot: "wss://api.example.com/ws" } } },
    fetchTime: async () => (await ask("/time")).serverTime,
    fetchOHLCV: async (symbol, interval, since, limit) => {
      const rows = await ask(
        `/klines?symbol=${symbol.replace("/", "")}&interval=${interval}&startTime=${since}&limit=${limit}`,
      );
      return rows.map((row: string[]) => row.slice(0, 6).map(Number));
    },
    watchOHLCV: async (symbol, interval) => {
      // It may have been cut while nobody waited.
      failIfClosed(socket);
      const current = socket ?? open(`${symbol.replace("/", "").toLowerCase()}@kline_${interval}`);
      socket = current;
      while (changed.size === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        failIfClosed(current);
      }
      const rows = [...changed.values()];
      changed = new Map();
      return rows;
    },
    close: async () => {
      socket?.terminate();
      socket = null;
    },
  };
  function failIfClosed(watched: WebSocket | null): void {
    if (watched === null || watched.readyState <= watched.OPEN) return;
    if (socket === watched) socket = null;
    throw new NetworkError();
  }
  const urls = () => exchange.urls.api as { public: string; ws: { spot: string } };
  function open(name: string): WebSocket {
    const opened = new WebSocket(`${urls().ws.spot}/0`);
    changed = new Map();
    opened.on("error", () => opened.terminate());
    opened.on("close", () => wake?.());
    opened.on("open", () => opened.send(JSON.stringify({ method: "SUBSCRIBE", params: [name], id: 1 })));
    opened.on("message", (data) => {
      const { k } = JSON.parse(String(data));
      if (k === undefined || opened !== socket) return;
      changed.set(k.t, [k.t, ...[k.o, k.h, k.l, k.c, k.v].map(Number)]);
      wake?.();
    });
    return opened;
  }
  const ask = async (path: string) => {
    const response = await fetch(`${urls().public}${path}`);
    if (!response.ok) throw new NetworkError();
    return response.json();
  };
  return exchange;
};
class NetworkError extends Error {}

const isThere = await hasCcxt();
const LOADERS = loadersOf<LoadExchange>("ccxt", isThere, { documented: plainExchange, own: loadExchange });

describe.concurrent.each([
  ...LOADERS.map(([name, load]) => ({ name: `Binance's streams by ${name}`, kind: "ccxt", load })),
  { name: "OANDA's stream", kind: "oanda", load: plainExchange },
])("$name", ({ kind, load }) => {
  const instrument = kind === "ccxt" ? "BTCUSDT" : "BTC_USD";
  /** A minute of the market takes so long. */
  // Long enough that a busy machine stores a candle of each market that runs at once before the next one has closed, or
  // the stream never gets ahead.
  const CANDLE_MS = 400;
  const DAY_MINUTES = 24 * 60;

  /** A market that goes fast, and the feed of it. */
  class Market {
    readonly server: FeedStage["server"];
    readonly sql: FeedStage["sql"];
    readonly #database: FeedStage["database"];
    /** Yesterday, so that the clock alone never closes a candle: what is not asked for comes by the stream. */
    readonly beginMs: number;

    constructor({ server, sql, database }: FeedStage) {
      this.server = server;
      this.sql = sql;
      this.#database = database;
      const startedMs = Date.now();
      this.beginMs = candleOpenMs(startedMs, "M1") - DAY_MINUTES * MINUTE_MS;
      server.marketMs = () => this.beginMs + (Date.now() - startedMs) * (MINUTE_MS / CANDLE_MS);
      server.streamEveryMs = 20;
      server.showsForming = false;
    }

    rows() {
      return this.sql<{ ts: Date; open: number; high: number; low: number; close: number; volume: number }[]>`
        select ts, open, high, low, close, volume from candles order by ts`;
    }

    async newestMs(): Promise<number> {
      return (await this.rows()).at(-1)?.ts.getTime() ?? 0;
    }

    /** The feed asks again after a minute at the latest. */
    async until(isReached: () => Promise<boolean>): Promise<void> {
      const endMs = Date.now() + 100_000;
      while (!(await isReached())) {
        if (Date.now() > endMs)
          throw new Error(`not reached: ${JSON.stringify(await this.sql`select * from feeds`)}`);
        await pause(20);
      }
    }

    /** Runs the feed while `during` lasts, and holds what is stored then against the source. */
    async run(during: () => Promise<void>): Promise<void> {
      const plan = parseMarketFeed(
        kind === "ccxt" ? "ccxt:binance(BTCUSD=BTC/USDT:M1)" : "oanda(BTCUSD=BTC_USD:M1)",
      );
      if ("problem" in plan) throw new Error(plan.problem);
      const abort = new AbortController();
      const running = runFeeds(this.#database, abort.signal, {
        config: {
          feeds: plan.feeds,
          oandaToken: "a-token-of-oanda",
          oandaApiRoot: this.server.url,
          ccxtApiRoot: this.server.url,
          feedBackfillCandles: DAY_MINUTES + 30,
        },
        loadExchange: load,
        silentAfterMs: 1_500,
      });
      try {
        await during();
      } finally {
        abort.abort();
        await running;
      }
      const all = await this.rows();
      for (const [i, row] of all.entries()) {
        const openMs = row.ts.getTime();
        expect({ ...row, ts: openMs }).toEqual(trueCandle(instrument, "M1", openMs));
        expect(candleCloseMs(openMs, "M1")).toBeLessThanOrEqual(this.server.marketMs());
        if (i > 0) expect(openMs - (all[i - 1]?.ts.getTime() ?? 0)).toBe(MINUTE_MS);
      }
      expect(await this.sql`select 1 from candle_corrections`).toHaveLength(0);
    }

    /**
     * Lets the stream prove itself, then has questions answered no more, and waits for candles that only it can bring.
     * OANDA's says when to ask: without it the feed asks again after 1, 2, 4, 8 seconds and more.
     */
    async byStreamAlone(): Promise<void> {
      const { server } = this;
      if (kind === "oanda") {
        const { length } = server.requests;
        await this.until(async () => server.requests.length >= length + 25);
        return;
      }
      await this.until(async () => (await this.newestMs()) > this.beginMs + 25 * MINUTE_MS);
      for (let hasCome = false; !hasCome; ) {
        server.fault = () => "500";
        const [atMs, endMs] = [server.marketMs(), Date.now() + 12 * CANDLE_MS];
        await this.until(async () => {
          hasCome = (await this.newestMs()) > atMs + 5 * MINUTE_MS;
          return hasCome || Date.now() > endMs;
        });
        if (hasCome) return;
        // On a slow machine a candle before the stream's is still missing: that one has to be asked for.
        server.fault = () => null;
        await this.until(async () => (await this.newestMs()) > atMs + 10 * MINUTE_MS);
      }
    }
  }

  itOnStage(
    "brings each candle as it closes, once and whole, whatever comes twice or late",
    { timeout: 300_000 },
    async ({ stage }) => {
      const market = new Market(stage);
      const faults: (StreamFault | null)[] = ["repeated", null, "late", null];
      let told = 0;
      stage.server.streamFault = () => faults[told++ % faults.length] ?? null;
      await market.run(() => market.byStreamAlone());
    },
  );

  for (const fault of ["cut", "mute"] as const)
    itOnStage(
      `goes on after it was ${fault}, and what was missed is asked for`,
      { timeout: 300_000 },
      async ({ stage: { server, ...stage } }) => {
        const market = new Market({ server, ...stage });
        await market.run(async () => {
          await market.byStreamAlone();
          const { streams } = server;
          const atMs = server.marketMs();
          server.streamFault = () => (server.streams === streams ? fault : null);
          server.fault = () => null;
          await market.until(async () => server.streams > streams);
          await market.until(async () => (await market.newestMs()) > atMs + 10 * MINUTE_MS);
          await market.byStreamAlone();
        });
      },
    );

  itOnStage.runIf(kind === "ccxt")(
    "brings the newest candle also where the source itself tells its newest two late",
    { timeout: 120_000 },
    async ({ stage: { server, ...stage } }) => {
      const market = new Market({ server, ...stage });
      server.fault = () => "late";
      await market.run(() =>
        market.until(async () => (await market.newestMs()) > server.marketMs() - 2.5 * MINUTE_MS),
      );
    },
  );

  itOnStage.runIf(kind === "ccxt")(
    "is not believed when it never tells how a candle ended",
    { timeout: 120_000 },
    async ({ stage }) => {
      const market = new Market(stage);
      stage.server.streamFault = () => "unfinished";
      await market.run(() =>
        market.until(async () => (await market.newestMs()) > market.beginMs + 40 * MINUTE_MS),
      );
    },
  );

  itOnStage(
    "stores nothing while the source's clock is an hour off",
    { timeout: 120_000 },
    async ({ stage: { server, sql, ...stage } }) => {
      const market = new Market({ server, sql, ...stage });
      server.fault = () => "an hour behind";
      await market.run(async () => {
        await market.until(async () => (await sql`select state from feeds`)[0]?.state === "held");
        await market.until(
          async () => server.streams > 0 && server.marketMs() > market.beginMs + 40 * MINUTE_MS,
        );
        expect(await market.rows()).toHaveLength(0);
      });
    },
  );
});
