/**
 * What MARKET_FEED says: `demo`, `off`, or feeds with a semicolon between them, such as
 * `ccxt:binance(BTCUSD=BTC/USDT:H1,M5); oanda(EURUSD=EUR_USD:H1 XAUUSD=XAU_USD:H1,H4); folder:/data/candles clock=new_york`.
 */

/** One symbol and timeframe that a feed brings, and what its source calls the symbol. */
export interface PlannedSlot {
  symbol: string;
  timeframe: string;
  instrument: string;
}

/** One feed. `clock` is what MetaTrader's exports in a folder are written on; null: nobody said. */
export type FeedPlan =
  | { kind: "oanda"; name: string; slots: PlannedSlot[] }
  | { kind: "ccxt"; name: string; exchange: string; slots: PlannedSlot[] }
  | { kind: "folder"; name: string; path: string; clock: string | null };

export interface MarketFeed {
  /** Whether the market is simulated, comes from feeds, or is only what is ingested. */
  kind: "demo" | "off" | "feeds";
  feeds: FeedPlan[];
}

/** As in the vocabulary, which this folder does not know; a test compares them. */
export const FEED_TIMEFRAME = /^(?:M(?:[1-6]|10|12|15|20|30)|H(?:1|2|3|4|6|8|12)|D1|W1|MN1)$/;
const SYMBOL = /^[A-Z0-9][A-Z0-9._-]{1,23}$/;
/** `new_york`: seven hours ahead of New York, as most brokers; `europe`: Eastern European Time; or a fixed offset. */
export const SERVER_CLOCK = /^(?:utc|new_york|europe|utc[+-][0-9]{1,2}(?::[0-5][0-9])?)$/;

/** OANDA has no such candles; exchanges begin their weeks on Monday, MetaTrader on Sunday. */
const NOT_OFFERED: Record<string, ReadonlySet<string>> = {
  oanda: new Set(["M3", "M6", "M12", "M20"]),
  ccxt: new Set(["W1"]),
};

const SHAPE =
  "must be demo, off, or feeds such as oanda(EURUSD=EUR_USD:H1); ccxt:binance(BTCUSD=BTC/USDT:H1,M5); folder:/path";

/** The plan, or what is wrong with which part of it. The text itself is not repeated. */
export function parseMarketFeed(text: string): MarketFeed | { problem: string } {
  const whole = text.trim();
  if (whole === "demo" || whole === "off") return { kind: whole, feeds: [] };
  const feeds: FeedPlan[] = [];
  for (const [i, part] of whole.split(";").entries()) {
    if (part.trim() === "") return { problem: `feed ${i + 1} is empty: ${SHAPE}` };
    const feed = parseFeed(part.trim());
    if ("problem" in feed) return { problem: `feed ${i + 1}: ${feed.problem}` };
    if (feeds.some(({ name }) => name === feed.name))
      return { problem: `feed ${i + 1}: is named before: put all its symbols into one pair of brackets` };
    feeds.push(feed);
  }
  return { kind: "feeds", feeds };
}

function parseFeed(part: string): FeedPlan | { problem: string } {
  const folder = /^folder:(?<path>.+?)(?:\s+clock=(?<clock>\S*))?$/.exec(part)?.groups;
  if (folder) {
    const { path = "", clock } = folder;
    if (clock !== undefined && !SERVER_CLOCK.test(clock))
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

/** Slots as a feed names them, with spaces between; or what is wrong with which of them. */
export function parseSlots(list: string): PlannedSlot[] | { problem: string } {
  const entries = list.split(/\s+/).filter((entry) => entry !== "");
  if (entries.length === 0) return { problem: "names no symbol" };
  const slots: PlannedSlot[] = [];
  for (const [i, entry] of entries.entries()) {
    // An instrument may hold colons itself, such as BTC/USDT:USDT: the timeframes stand behind the last one.
    const groups = /^(?<symbol>[^=]+)=(?<instrument>[^=]+):(?<timeframes>[^:=]+)$/.exec(entry)?.groups;
    if (!groups) return { problem: `symbol ${i + 1} must be written SYMBOL=INSTRUMENT:TIMEFRAME,TIMEFRAME` };
    const { instrument = "" } = groups;
    const symbol = (groups.symbol ?? "").toUpperCase();
    if (!SYMBOL.test(symbol)) return { problem: `symbol ${i + 1} must have 2 to 24 letters and digits` };
    for (const [j, sent] of (groups.timeframes ?? "").split(",").entries()) {
      const timeframe = sent.toUpperCase();
      if (!FEED_TIMEFRAME.test(timeframe))
        return {
          problem: `symbol ${i + 1}: timeframe ${j + 1} is none of MetaTrader's, such as M5, H1 or D1`,
        };
      if (slots.some((slot) => slot.symbol === symbol && slot.timeframe === timeframe))
        return { problem: `symbol ${i + 1}: timeframe ${j + 1} is named twice` };
      slots.push({ symbol, timeframe, instrument });
    }
  }
  return slots;
}
