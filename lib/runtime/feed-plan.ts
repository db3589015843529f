/**
 * Grammar of MARKET_FEED: `demo`, `off`, or feeds separated by semicolons, such as
 * `ccxt:binance(BTCUSD=BTC/USDT:H1,M5); oanda(EURUSD=EUR_USD:H1 XAUUSD=XAU_USD:H1,H4); folder:/data/candles
 * clock=new_york`.
 */

/** One symbol and timeframe of a feed, with the source's name for the symbol. */
export interface ConfiguredSlot {
  symbol: string;
  timeframe: string;
  instrument: string;
}

/** One feed. `clock` is the time zone of the times in MetaTrader exports of a folder; null: not given. */
export type ConfiguredFeed =
  | { kind: "oanda"; name: string; slots: ConfiguredSlot[] }
  | { kind: "ccxt"; name: string; exchange: string; slots: ConfiguredSlot[] }
  | { kind: "folder"; name: string; path: string; clock: string | null };

export interface MarketFeed {
  /**
   * `demo`: simulated market. `off`: candles come only through the ingest interface. `feeds`: candles also come from
   * `feeds`.
   */
  kind: "demo" | "off" | "feeds";
  feeds: ConfiguredFeed[];
}

/** The timeframes of lib/vocabulary, which lib/runtime may not import. A test compares the two. */
export const FEED_TIMEFRAME_PATTERN = /^(?:M(?:[1-6]|10|12|15|20|30)|H(?:1|2|3|4|6|8|12)|D1|W1|MN1)$/;
const SYMBOL = /^[A-Z0-9][A-Z0-9._-]{1,23}$/;
/**
 * Clock of a broker's server: `utc`, `new_york` (seven hours ahead of New York, as at most brokers), `europe` (Eastern
 * European Time), or a fixed offset such as `utc+2`.
 */
export const BROKER_SERVER_CLOCK_PATTERN = /^(?:utc|new_york|europe|utc[+-][0-9]{1,2}(?::[0-5][0-9])?)$/;

/**
 * Timeframes that a source does not offer with the same boundaries as this service. Exchanges begin their weeks on
 * Monday, MetaTrader on Sunday.
 */
const NOT_OFFERED: Record<string, ReadonlySet<string>> = {
  oanda: new Set(["M3", "M6", "M12", "M20"]),
  ccxt: new Set(["W1"]),
};

const SHAPE =
  "must be demo, off, or feeds such as oanda(EURUSD=EUR_USD:H1); ccxt:binance(BTCUSD=BTC/USDT:H1,M5); folder:/path";

/** Parses MARKET_FEED, or returns which part of it is wrong. `problem` quotes at most a known timeframe of it. */
export function parseMarketFeed(text: string): MarketFeed | { problem: string } {
  const whole = text.trim();
  if (whole === "demo" || whole === "off") return { kind: whole, feeds: [] };
  const feeds: ConfiguredFeed[] = [];
  for (const [i, part] of whole.split(";").entries()) {
    if (part.trim() === "") return { problem: `feed ${i + 1} is empty: ${SHAPE}` };
    const feed = parseFeed(part.trim());
    if ("problem" in feed) return { problem: `feed ${i + 1}: ${feed.problem}` };
    if (feeds.some(({ name }) => name === feed.name))
      return { problem: `feed ${i + 1}: occurs twice: put all its symbols into one pair of brackets` };
    feeds.push(feed);
  }
  return { kind: "feeds", feeds };
}

function parseFeed(part: string): ConfiguredFeed | { problem: string } {
  const folder = /^folder:(?<path>.+?)(?:\s+clock=(?<clock>\S*))?$/.exec(part)?.groups;
  if (folder) {
    const { path = "", clock } = folder;
    if (clock !== undefined && !BROKER_SERVER_CLOCK_PATTERN.test(clock))
      return { problem: "clock= must be utc, new_york, europe, or an offset such as utc+2" };
    return { kind: "folder", name: `folder:${path.trim()}`, path: path.trim(), clock: clock ?? null };
  }
  const { kind, exchange, list } =
    /^(?<kind>oanda|ccxt)(?::(?<exchange>[a-z0-9]+))?\s*\((?<list>[^()]*)\)$/.exec(part)?.groups ?? {};
  if (kind === undefined || list === undefined) return { problem: SHAPE };
  if (kind === "oanda" && exchange !== undefined) return { problem: "oanda takes no name after a colon" };
  if (kind === "ccxt" && exchange === undefined)
    return { problem: "ccxt needs the exchange, as in ccxt:binance(...)" };
  const slots = parseSlots(list);
  if ("problem" in slots) return slots;
  const missing = slots.find(({ timeframe }) => NOT_OFFERED[kind]?.has(timeframe));
  if (missing)
    return { problem: `${kind} has no ${missing.timeframe} that begins where this service's does` };
  return exchange === undefined
    ? { kind: "oanda", name: "oanda", slots }
    : { kind: "ccxt", name: `ccxt:${exchange}`, exchange, slots };
}

/** Parses the slots of a feed, separated by white space, or returns which one is wrong. */
export function parseSlots(list: string): ConfiguredSlot[] | { problem: string } {
  const entries = list.split(/\s+/).filter((entry) => entry !== "");
  if (entries.length === 0) return { problem: "names no symbol" };
  const slots: ConfiguredSlot[] = [];
  for (const [i, entry] of entries.entries()) {
    // An instrument may contain colons, such as BTC/USDT:USDT, so the timeframes follow the last colon.
    const groups = /^(?<symbol>[^=]+)=(?<instrument>[^=]+):(?<timeframes>[^:=]+)$/.exec(entry)?.groups;
    if (!groups) return { problem: `symbol ${i + 1} must be written SYMBOL=INSTRUMENT:TIMEFRAME,TIMEFRAME` };
    const { instrument = "" } = groups;
    const symbol = (groups.symbol ?? "").toUpperCase();
    if (!SYMBOL.test(symbol)) return { problem: `symbol ${i + 1} must have 2 to 24 letters and digits` };
    for (const [j, sent] of (groups.timeframes ?? "").split(",").entries()) {
      const timeframe = sent.toUpperCase();
      if (!FEED_TIMEFRAME_PATTERN.test(timeframe))
        return {
          problem: `symbol ${i + 1}: timeframe ${j + 1} is not a timeframe of MetaTrader, such as M5, H1 or D1`,
        };
      if (slots.some((slot) => slot.symbol === symbol && slot.timeframe === timeframe))
        return { problem: `symbol ${i + 1}: timeframe ${j + 1} occurs twice` };
      slots.push({ symbol, timeframe, instrument });
    }
  }
  return slots;
}
