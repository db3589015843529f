import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { candleCloseMs, candleOpenMs, parseBrokerTimeframe, parseTimeframe } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";

/** What may go wrong with one answer. */
export type CandleFault =
  | "429"
  | "500"
  | "401"
  | "dropped"
  | "truncated"
  | "duplicated"
  | "missing"
  | "late"
  | "an hour ahead"
  | "an hour behind";

/**
 * What may go wrong with a stream: `cut` ends it, `mute` leaves it open and says nothing more, `late` says once more how
 * the candle before ended, `unfinished` never says how one ended.
 */
export type StreamFault = "cut" | "mute" | "repeated" | "late" | "unfinished";

export interface Candle {
  ts: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

const HOUR_MS = 3_600_000;

/** A number from 0 to 1 that depends on nothing but its arguments. */
function noise(name: string, n: number): number {
  let hash = 2_166_136_261;
  for (const char of `${name}/${n}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

const round = (value: number) => Math.round(value * 100_000) / 100_000;

/** The one true candle of an instrument: every process that asks sees the same. */
export function trueCandle(instrument: string, timeframe: Timeframe, openMs: number): Candle {
  const price = (atMs: number) =>
    1.1 + 0.02 * Math.sin(atMs / 86_400_000) + 0.002 * noise(instrument, atMs / 60_000);
  const open = round(price(openMs));
  const close = round(price(candleCloseMs(openMs, timeframe)));
  const reach = 0.0005 * noise(`${instrument}/${timeframe}`, openMs);
  return {
    ts: openMs,
    open,
    close,
    high: round(Math.max(open, close) + reach),
    low: round(Math.min(open, close) - reach),
    volume: 100 + Math.floor(900 * noise("volume", openMs)),
  };
}

/** A candle that has been forming for `share` of its time. */
const half = (whole: Candle, share: number): Candle => ({
  ...whole,
  close: round(whole.open + (whole.close - whole.open) * share),
  high: round(Math.max(whole.open, whole.open + (whole.close - whole.open) * share)),
  low: round(Math.min(whole.open, whole.open + (whole.close - whole.open) * share)),
  volume: Math.floor(whole.volume * share),
});

export interface CandleServer {
  url: string;
  requests: { path: string; query: URLSearchParams; authorization: string | undefined; atMs: number }[];
  /** Asked for the fault of each further answer; none by default. */
  fault: (instrument: string) => CandleFault | null;
  /** Asked for the fault of each further message of a stream; none by default. */
  streamFault: (instrument: string) => StreamFault | null;
  /** How often streams have been opened. */
  streams: number;
  /** How far the market is; the clock that the server shows goes by itself. */
  marketMs: () => number;
  /** Whether an answer ends with the candle that forms. */
  showsForming: boolean;
  /** How often a stream tells how its candle stands. */
  streamEveryMs: number;
  /** Candles from before this instant do not exist. */
  beginMs: number;
  close(): Promise<void>;
}

/** A provider of candles on loopback that speaks OANDA's v20 interface, Binance's, with its streams, and Dukascopy's files. */
export async function startCandleServer(): Promise<CandleServer> {
  const server = createServer((request, response) => answer(request, response));
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => follow(socket));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // A listening TCP server has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const made: CandleServer = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    fault: () => null,
    streamFault: () => null,
    streams: 0,
    marketMs: () => Date.now(),
    showsForming: true,
    streamEveryMs: 250,
    beginMs: 0,
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", made.url);
    const { authorization } = request.headers;
    if (url.pathname === "/v3/accounts") {
      response.end(JSON.stringify({ accounts: [{ id: "101-004-1-001", tags: [] }] }));
      return;
    }
    if (url.pathname.endsWith("/pricing/stream")) {
      tellPrices((url.searchParams.get("instruments") ?? "").split(","), response);
      return;
    }
    made.requests.push({ path: url.pathname, query: url.searchParams, authorization, atMs: Date.now() });
    const oanda = /^\/v3\/instruments\/([^/]+)\/candles$/.exec(url.pathname);
    const bank = /^\/v1\/candles\/(?<source>minute|hour|day)\/(?<code>[A-Z-]+)\/BID(?<period>[/0-9]*)$/.exec(
      url.pathname,
    )?.groups;
    const instrument = decodeURIComponent(oanda?.[1] ?? bank?.code ?? url.searchParams.get("symbol") ?? "");
    const fault = made.fault(instrument);
    const skewMs = fault === "an hour ahead" ? HOUR_MS : fault === "an hour behind" ? -HOUR_MS : 0;
    const nowMs = Date.now() + skewMs;
    response.sendDate = false;
    response.setHeader("Date", new Date(nowMs).toUTCString());
    response.setHeader("Content-Type", "application/json");
    if (fault === "dropped") {
      request.socket.destroy();
      return;
    }
    if (fault === "429" || fault === "500" || fault === "401") {
      response.writeHead(Number(fault), fault === "429" ? { "Retry-After": "1" } : {});
      response.end(
        JSON.stringify(oanda ? { errorMessage: "no" } : { code: fault === "429" ? -1003 : -1000, msg: "no" }),
      );
      return;
    }
    const body = oanda
      ? oandaAnswer(instrument, url.searchParams, nowMs, fault)
      : bank
        ? bankAnswer(instrument, bank.source ?? "", bank.period ?? "", url.searchParams, nowMs, fault)
        : binanceAnswer(url, nowMs, fault);
    const text = JSON.stringify(body ?? { errorMessage: "no such address" });
    if (body === null) response.statusCode = 404;
    response.end(fault === "truncated" ? text.slice(0, text.length / 2) : text);
  }

  /** OANDA's stream of prices: a line for each, and one that says that nothing happened. */
  function tellPrices(instruments: readonly string[], response: ServerResponse): void {
    made.streams++;
    let isMute = false;
    const timer = setInterval(() => {
      for (const instrument of instruments) {
        const fault = made.streamFault(instrument);
        if (fault === "cut") response.destroy();
        if (fault === "mute") isMute = true;
        if (isMute) return;
        const atMs = made.marketMs();
        const { open } = trueCandle(instrument, "M1", candleOpenMs(atMs, "M1"));
        const time = new Date(atMs).toISOString().replace("Z", "000000Z");
        const line = {
          type: "PRICE",
          time,
          instrument,
          bids: [{ price: text(open - 0.00005), liquidity: 1_000_000 }],
          asks: [{ price: text(open + 0.00005), liquidity: 1_000_000 }],
        };
        const lines = [line, { type: "HEARTBEAT", time }, ...(fault === "repeated" ? [line] : [])];
        for (const one of lines) response.write(`${JSON.stringify(one)}\n`);
      }
    }, made.streamEveryMs);
    response.on("close", () => clearInterval(timer));
  }

  /** Speaks Binance's streams: SUBSCRIBE is acknowledged, then come the candles of `btcusdt@kline_1m` as they form. */
  function follow(socket: WebSocket): void {
    made.streams++;
    const streams: { instrument: string; timeframe: Timeframe; openMs: number }[] = [];
    let isMute = false;
    const send = (message: unknown) => {
      if (!isMute && socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
    };
    socket.on("message", (data: RawData) => {
      const { method, params, id }: { method?: string; params?: string[]; id?: number } = JSON.parse(
        String(data),
      );
      if (method !== "SUBSCRIBE") return;
      for (const name of params ?? []) {
        const [instrument = "", interval = ""] = name.split("@kline_");
        const timeframe = parseBrokerTimeframe(interval);
        if (timeframe === null) continue;
        const openMs = candleOpenMs(made.marketMs(), timeframe);
        streams.push({ instrument: instrument.toUpperCase(), timeframe, openMs });
      }
      send({ result: null, id });
    });
    const timer = setInterval(() => {
      for (const stream of streams) tell(stream);
    }, made.streamEveryMs);
    socket.on("close", () => clearInterval(timer));

    function tell(stream: (typeof streams)[number]): void {
      const { instrument, timeframe } = stream;
      const fault = made.streamFault(instrument);
      if (fault === "cut") socket.terminate();
      if (fault === "mute") isMute = true;
      const nowMs = made.marketMs();
      const closed: unknown[] = [];
      for (
        ;
        candleCloseMs(stream.openMs, timeframe) <= nowMs;
        stream.openMs = candleCloseMs(stream.openMs, timeframe)
      ) {
        const whole = trueCandle(instrument, timeframe, stream.openMs);
        closed.push(kline(instrument, timeframe, fault === "unfinished" ? half(whole, 0.9) : whole, true));
      }
      const closeMs = candleCloseMs(stream.openMs, timeframe);
      const share = Math.max(0.1, (nowMs - stream.openMs) / (closeMs - stream.openMs));
      const forming = kline(
        instrument,
        timeframe,
        half(trueCandle(instrument, timeframe, stream.openMs), share),
        false,
      );
      // How the candle before ended, once more.
      const before = trueCandle(instrument, timeframe, candleOpenMs(stream.openMs - 1, timeframe));
      const late = fault === "late" ? [kline(instrument, timeframe, before, true)] : [];
      const messages = [...closed, forming, ...late];
      for (const message of fault === "repeated" ? [...messages, ...messages] : messages) send(message);
    }
  }

  function page(
    instrument: string,
    timeframe: Timeframe,
    fromMs: number,
    limit: number,
    nowMs: number,
    fault: CandleFault | null,
  ) {
    const candles: { candle: Candle; isComplete: boolean }[] = [];
    let openMs = candleOpenMs(fromMs, timeframe);
    if (openMs < fromMs) openMs = candleCloseMs(openMs, timeframe);
    openMs = Math.max(openMs, candleOpenMs(made.beginMs, timeframe));
    const marketMs = nowMs - Date.now() + made.marketMs();
    for (; openMs <= marketMs && candles.length < limit; openMs = candleCloseMs(openMs, timeframe)) {
      const closeMs = candleCloseMs(openMs, timeframe);
      const whole = trueCandle(instrument, timeframe, openMs);
      const isComplete = closeMs <= marketMs;
      if (!isComplete && !made.showsForming) break;
      // With a clock that is ahead a candle that forms passes for a whole one.
      const share = Math.min(1, (made.marketMs() - openMs) / (closeMs - openMs));
      candles.push({ candle: share < 1 ? half(whole, Math.max(0.1, share)) : whole, isComplete });
    }
    if (fault === "late") return candles.slice(0, -2);
    if (fault === "missing") return candles.filter((_, i) => i % 3 !== 1);
    if (fault === "duplicated") return candles.flatMap((one) => [one, one]).reverse();
    return candles;
  }

  function oandaAnswer(instrument: string, query: URLSearchParams, nowMs: number, fault: CandleFault | null) {
    const granularity = query.get("granularity") ?? "";
    const timeframe = parseTimeframe({ D: "D1", W: "W1", M: "MN1" }[granularity] ?? granularity);
    if (timeframe === null) return null;
    const count = Number(query.get("count") ?? 500);
    const candles = page(instrument, timeframe, Date.parse(query.get("from") ?? ""), count, nowMs, fault);
    return {
      instrument,
      granularity,
      candles: candles.map(({ candle, isComplete }) => ({
        complete: isComplete,
        volume: candle.volume,
        time: new Date(candle.ts).toISOString().replace("Z", "000000Z"),
        mid: { o: text(candle.open), h: text(candle.high), l: text(candle.low), c: text(candle.close) },
      })),
    };
  }

  /** Dukascopy's file of a day of minutes, a month of hours or a year of days: differences, in units of the last digit. */
  function bankAnswer(
    instrument: string,
    source: string,
    period: string,
    query: URLSearchParams,
    nowMs: number,
    fault: CandleFault | null,
  ) {
    const timeframe = ({ minute: "M1", hour: "H1", day: "D1" } as const)[source] ?? "D1";
    const [year = 0, month = 1, day = 1] = period.split("/").filter(Boolean).map(Number);
    const beginMs = Number(query.get("from") ?? Date.UTC(year, month - 1, day));
    const begin = new Date(beginMs);
    const endMs = {
      M1: beginMs + 86_400_000,
      H1: Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + 1),
      D1: Date.UTC(begin.getUTCFullYear() + 1, 0),
    }[timeframe];
    const candles = page(instrument, timeframe, beginMs, 2_000, nowMs, fault).filter(
      ({ candle }) => candle.ts < endMs,
    );
    const shift = candleCloseMs(beginMs, timeframe) - beginMs;
    const units = (price: number) => Math.round(price * 100_000);
    const steps = (values: number[]) => values.map((value, i) => value - (values[i - 1] ?? 0));
    const column = (name: "open" | "high" | "low" | "close") =>
      steps(candles.map(({ candle }) => units(candle[name])));
    return {
      timestamp: beginMs,
      multiplier: 0.00001,
      shift,
      open: 0,
      high: 0,
      low: 0,
      close: 0,
      times: steps(candles.map(({ candle }) => (candle.ts - beginMs) / shift)),
      opens: column("open"),
      highs: column("high"),
      lows: column("low"),
      closes: column("close"),
      volumes: candles.map(({ candle }) => candle.volume / 1_000_000),
    };
  }

  function binanceAnswer(url: URL, nowMs: number, fault: CandleFault | null) {
    if (url.pathname.endsWith("/time")) return { serverTime: nowMs };
    // Futures have addresses of their own, and no market here.
    if (url.pathname.endsWith("/exchangeInfo"))
      return url.pathname.startsWith("/api/") ? EXCHANGE_INFO : { ...EXCHANGE_INFO, symbols: [] };
    if (!url.pathname.endsWith("/klines")) return [];
    const timeframe = parseBrokerTimeframe(url.searchParams.get("interval"));
    if (timeframe === null) return null;
    const instrument = url.searchParams.get("symbol") ?? "";
    const fromMs = Number(url.searchParams.get("startTime") ?? 0);
    const limit = Number(url.searchParams.get("limit") ?? 500);
    return page(instrument, timeframe, fromMs, limit, nowMs, fault).map(({ candle }) => [
      candle.ts,
      text(candle.open),
      text(candle.high),
      text(candle.low),
      text(candle.close),
      String(candle.volume),
      candleCloseMs(candle.ts, timeframe) - 1,
      "0",
      1,
      "0",
      "0",
      "0",
    ]);
  }
  return made;
}

const text = (price: number) => price.toFixed(5);

/** A candle as Binance streams it. */
function kline(instrument: string, timeframe: Timeframe, candle: Candle, isClosed: boolean) {
  return {
    e: "kline",
    E: Date.now(),
    s: instrument,
    k: {
      t: candle.ts,
      T: candleCloseMs(candle.ts, timeframe) - 1,
      s: instrument,
      i: `${timeframe.slice(1)}${timeframe.slice(0, 1).toLowerCase()}`,
      o: text(candle.open),
      h: text(candle.high),
      l: text(candle.low),
      c: text(candle.close),
      v: String(candle.volume),
      x: isClosed,
    },
  };
}

/** The one market of the stand-in, with the filters that clients read. */
const EXCHANGE_INFO = {
  timezone: "UTC",
  serverTime: 0,
  rateLimits: [],
  exchangeFilters: [],
  symbols: [
    {
      symbol: "BTCUSDT",
      status: "TRADING",
      baseAsset: "BTC",
      baseAssetPrecision: 8,
      quoteAsset: "USDT",
      quotePrecision: 8,
      quoteAssetPrecision: 8,
      orderTypes: ["LIMIT", "MARKET"],
      icebergAllowed: true,
      ocoAllowed: true,
      isSpotTradingAllowed: true,
      isMarginTradingAllowed: false,
      filters: [
        { filterType: "PRICE_FILTER", minPrice: "0.00001", maxPrice: "1000000", tickSize: "0.00001" },
        { filterType: "LOT_SIZE", minQty: "0.00001", maxQty: "9000", stepSize: "0.00001" },
      ],
      permissions: ["SPOT"],
      permissionSets: [["SPOT"]],
    },
  ],
};
