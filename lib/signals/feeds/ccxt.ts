import { setTimeout as pause } from "node:timers/promises";
import type { Timeframe } from "@/lib/vocabulary";
import { type CandleSource, FeedFailure, type FeedSlot, parseCandleRows, type SourceCandle } from "./source";

/** Page size that all supported exchanges accept. */
const PAGE_SIZE = 500;
const TIMEOUT_MS = 20_000;
const CLOSE_MS = 1_000;
/** How often the exchange's clock is read. */
const CLOCK_EVERY_MS = 60_000;

/** The part of an exchange object of the library ccxt that this service uses. */
export interface Exchange {
  has: Record<string, unknown>;
  timeframes?: Record<string, unknown>;
  urls: { api?: unknown };
  fetchOHLCV(symbol: string, timeframe: string, since: number, limit: number): Promise<unknown>;
  fetchTime(): Promise<unknown>;
  close?(): Promise<unknown>;
}

export type LoadExchange = (
  exchange: string,
  options: { enableRateLimit: boolean; timeout: number },
) => Promise<Exchange>;

/**
 * Loads the optional library ccxt (67 MB installed) and creates the exchange. Throws FeedFailure if ccxt is not
 * installed or has no exchange of this name.
 */
export const loadExchange: LoadExchange = async (exchange, options) => {
  // A variable, so that neither the compiler nor the bundler resolves the optional package.
  const name: string = "ccxt";
  let library: Record<string, unknown>;
  try {
    library = await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ name);
  } catch {
    throw new FeedFailure("refused", "ccxt is not installed: run npm install ccxt and start again");
  }
  const all = (library.default ?? library) as Record<string, unknown>;
  const Constructor = all[exchange];
  if (typeof Constructor !== "function" || !Array.isArray(all.exchanges) || !all.exchanges.includes(exchange))
    throw new FeedFailure("refused", "ccxt has no exchange of this name");
  return Reflect.construct(Constructor, [options]) as Exchange;
};

/** ccxt's code of a timeframe: `1h` for H1, `1d` for D1, `1M` for MN1. */
export function ccxtTimeframe(timeframe: Timeframe): string {
  if (timeframe === "MN1") return "1M";
  return `${timeframe.slice(1)}${timeframe.slice(0, 1).toLowerCase()}`;
}

/**
 * Candles of a crypto exchange through ccxt, by REST. Exchanges do not mark closed candles, so the time of receipt
 * decides which are closed.
 */
export function ccxtSource(
  name: string,
  slots: readonly FeedSlot[],
  options: { exchange: string; apiRoot: string | null; load?: LoadExchange },
): CandleSource {
  let opened: Promise<Exchange> | null = null;
  const clock = { askedMs: 0, offsetMs: null as number | null };

  async function open(): Promise<Exchange> {
    opened ??= load();
    // The next call tries again: the package may have been installed by then.
    opened.catch(() => {
      opened = null;
    });
    return opened;
  }

  async function load(): Promise<Exchange> {
    const settings = { enableRateLimit: true, timeout: TIMEOUT_MS };
    const exchange = await (options.load ?? loadExchange)(options.exchange, settings);
    if (options.apiRoot === null) return exchange;
    exchange.urls.api = movedTo(options.apiRoot, exchange.urls.api);
    return exchange;
  }

  async function now(exchange: Exchange): Promise<Date | null> {
    if (!exchange.has.fetchTime) return null;
    if (Date.now() - clock.askedMs > CLOCK_EVERY_MS) {
      const shown = await exchange.fetchTime();
      clock.offsetMs = typeof shown === "number" ? shown - Date.now() : null;
      // A clock that is off by more than a minute is read again at the next call.
      if (Math.abs(clock.offsetMs ?? 0) < CLOCK_EVERY_MS) clock.askedMs = Date.now();
    }
    return clock.offsetMs === null ? null : new Date(Date.now() + clock.offsetMs);
  }

  return {
    name,
    slots,
    pageSize: PAGE_SIZE,
    async read(slot, from, limit) {
      const timeframe = ccxtTimeframe(slot.timeframe);
      try {
        const exchange = await open();
        if (exchange.timeframes && !(timeframe in exchange.timeframes))
          throw new FeedFailure("refused", `the exchange has no candles of ${slot.timeframe}`);
        const at = await now(exchange);
        const rows = await exchange.fetchOHLCV(
          slot.instrument,
          timeframe,
          from.getTime(),
          Math.min(limit, PAGE_SIZE),
        );
        return { candles: candlesOf(rows), now: at };
      } catch (error) {
        throw error instanceof FeedFailure ? error : failureOf(error);
      }
    },
    async close() {
      const exchange = await opened?.catch(() => null);
      // A socket whose other end is gone may never close.
      await Promise.race([exchange?.close?.(), pause(CLOSE_MS)]);
    },
  };
}

function candlesOf(rows: unknown): SourceCandle[] {
  const candles = parseCandleRows(rows);
  if (candles === null) throw new FeedFailure("failed", "the exchange did not return candles");
  return candles;
}

/** The failures for some of ccxt's error classes, general classes last. */
const FAILURES: readonly (readonly [string, ...ConstructorParameters<typeof FeedFailure>])[] = [
  ["RateLimitExceeded", "wait", "the rate limit of the exchange was reached", 60_000],
  ["DDoSProtection", "wait", "the rate limit of the exchange was reached", 60_000],
  ["BadSymbol", "refused", "the exchange does not have this symbol"],
  ["NotSupported", "refused", "the exchange gives no candles"],
  ["AuthenticationError", "refused", "the exchange asks for a key"],
  ["NetworkError", "failed", "the exchange did not answer"],
  ["ExchangeError", "failed", "the exchange answered with an error"],
];

const UNKNOWN = ["", "failed", "the exchange's answer could not be used"] as const;

function failureOf(error: unknown): FeedFailure {
  const names: string[] = [];
  let shape: unknown = error;
  while (typeof shape === "object" && shape !== null && names.length < 12) {
    names.push(shape.constructor.name);
    shape = Object.getPrototypeOf(shape);
  }
  const [, ...known] = FAILURES.find(([name]) => names.includes(name)) ?? UNKNOWN;
  return new FeedFailure(...known);
}

/** Replaces scheme and host by `root` in an exchange's URLs, which are a string or nested objects of strings. */
function movedTo(root: string, urls: unknown): unknown {
  if (typeof urls === "string") {
    if (!URL.canParse(urls)) return urls;
    const { pathname } = new URL(urls);
    return `${root}${pathname === "/" ? "" : pathname}`;
  }
  if (typeof urls !== "object" || urls === null) return urls;
  return Object.fromEntries(Object.entries(urls).map(([name, url]) => [name, movedTo(root, url)]));
}
