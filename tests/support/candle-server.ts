import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { candleCloseMs, candleOpenMs, parseBrokerTimeframe, parseTimeframe } from "@/lib/market/timeframes";
import type { Timeframe } from "@/lib/vocabulary";

/** A fault of one answer. The faults "an hour ahead" and "an hour behind" shift the clock of the candle server. */
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

export interface Candle {
  ts: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

const HOUR_MS = 3_600_000;

/** A number from 0 to 1 derived from the arguments only. */
function noise(name: string, n: number): number {
  let hash = 2_166_136_261;
  for (const char of `${name}/${n}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

const round = (value: number) => Math.round(value * 100_000) / 100_000;

/** The complete candle of an instrument that opens at `openMs`, computed from the arguments only. */
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

/** A candle as it looks after `share` of its duration (0 to 1). */
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
  /** Returns the fault of each further answer; none by default. */
  fault: (instrument: string) => CandleFault | null;
  /** The market's time in milliseconds, by which candles open and close. The Date header follows the machine's clock. */
  marketMs: () => number;
  /** Whether answers contain the forming candle. */
  showsForming: boolean;
  /** Candles that close at or before this instant (in milliseconds) do not exist. */
  beginMs: number;
  close(): Promise<void>;
}

/** A candle provider on loopback with the protocols of OANDA v20, Binance and Dukascopy files. */
export async function startCandleServer(): Promise<CandleServer> {
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // The address of a listening TCP server is an object.
  const { port } = server.address() as AddressInfo;
  const made: CandleServer = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    fault: () => null,
    marketMs: () => Date.now(),
    showsForming: true,
    beginMs: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", made.url);
    const { authorization } = request.headers;
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
      // The faults of the clock do not change `share`: with a fast clock a forming candle and those after it, which are
      // not open yet, are marked as complete with partial values.
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

  /**
   * An answer in Dukascopy's format: the minutes of a day, the hours of a month or the days of a year. Each time and
   * price is the difference from the one before it; prices are in units of 0.00001.
   */
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
    // Only the spot market (paths below /api/) has a symbol; the futures markets list none.
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

/** Binance's exchangeInfo with one symbol and the filters that client libraries read. */
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
