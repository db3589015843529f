/** Symbols: valid codes, matching of brokers' names, and defaults for new symbols. */

import type { CalendarName } from "@/lib/vocabulary";

const WELL_FORMED = /^[A-Z0-9][A-Z0-9._-]{1,23}$/;

/** Maximum length of a broker's symbol name that is matched with known symbols. */
const MAX_BROKER_NAME = 64;

const NO_ALIASES: ReadonlyMap<string, string> = new Map();

/** Names that some brokers use instead of a currency pair. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["GOLD", "XAUUSD"],
  ["SILVER", "XAGUSD"],
]);

/** Suffixes that brokers append without a separator for a kind of account. No `T`: BTCUSDT is not BTCUSD. */
const BARE_SUFFIXES: ReadonlySet<string> = new Set(
  "A B C E F I K M P R S X Z AI AM CENT CASH ECN FX MICRO MINI NDD PRIME PRO RAW SPOT STD STP VIP ZERO".split(
    " ",
  ),
);
const BARE_PREFIXES: ReadonlySet<string> = new Set(["M", "FX"]);

/** A separator and a short tail: `.i`, `-ECN`, `_`, `#`, `.pro+`. */
const SEPARATED_SUFFIX = /^[^A-Z0-9][^\s]{0,11}$/;
/** A short head and a separator: `#`, `FX.`, `OANDA:`. */
const SEPARATED_PREFIX = /^[^\s]{0,11}[^A-Z0-9]$/;
/** A pair written with a separator between its currencies: `EUR/USD`. */
const SEPARATED_PAIR = /^([A-Z]{3,5})[/_. -]([A-Z]{3})/;

const COINS =
  "AAVE|ADA|ALGO|APT|ARB|ATOM|AVAX|BCH|BNB|BTC|DASH|DOGE|DOT|EOS|ETC|ETH|FIL|HBAR|ICP|LINK|LTC|MATIC|NEAR|NEO|" +
  "OP|PEPE|POL|SHIB|SOL|SUI|TON|TRX|UNI|XBT|XLM|XMR|XRP|XTZ|ZEC";
const CURRENCIES =
  "AED|ARS|AUD|BHD|BRL|CAD|CHF|CLP|CNH|CNY|COP|CZK|DKK|EGP|EUR|GBP|HKD|HUF|IDR|ILS|INR|JPY|KRW|KWD|KZT|MXN|MYR|NGN|" +
  "NOK|NZD|PEN|PHP|PKR|PLN|QAR|RON|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR";
const QUOTES = `${CURRENCIES}|BTC|ETH|XAU`;
/** A coin alone, before a separator, or before a quote currency: ETHUSD, BTC-PERP; not ETHE, ADANI or SOLAR. */
const CRYPTO = new RegExp(`^(?:${COINS})(?:$|[^A-Z]|${QUOTES})`);
/** Contracts on oil and gas as brokers name them. */
const ENERGY = /^(?:USOIL|UKOIL|WTI|BRENT|XTI|XBR|XNG|NGAS|NATGAS|CRUDE|CL$|NG$|SPOTCRUDE|OILUSD)/;
/** Contracts on US share indices as brokers name them. */
const US_INDEX = /^(?:US30|US500|US100|USTEC|US2000|SPX|SP500|NAS100|NASDAQ|NDX|DJ30|DJI|WS30|RUSSELL|VIX)/;
/** Contracts on other share indices, each with the preset calendar that fits it. */
const INDICES: readonly [RegExp, CalendarName][] = [
  [/^(?:DE|GER)(?:30|40)|^DAX/, "de_index"],
  [/^UK100|^FTSE100/, "uk_index"],
  [/^(?:JP|JPN|NI)225|^NIKKEI/, "jp_index"],
];
/** A ticker with its exchange, such as AAPL.US, AAPL.NAS or AAPL.NYSE; a bare one could be anything. */
const US_SHARE = /^[A-Z]{1,5}\.(?:US|NAS|NASDAQ|NYSE|OQ|N|O)$/;
const METAL = /^(?:XAU|XAG|XPT|XPD|GOLD$|SILVER$)/;

/** A symbol in canonical spelling (trimmed, upper case), or null when it is not well formed. */
export function parseSymbol(text: string): string | null {
  const symbol = text.trim().toUpperCase();
  return WELL_FORMED.test(symbol) ? symbol : null;
}

function isBrokerPrefix(text: string): boolean {
  return text === "" || BARE_PREFIXES.has(text) || SEPARATED_PREFIX.test(text);
}

function isBrokerSuffix(text: string, code: string): boolean {
  if (text === "" || SEPARATED_SUFFIX.test(text)) return true;
  // BTCUSDC is quoted in the coin USDC; after other symbols a C marks a cent account.
  if (text === "C" && CRYPTO.test(code)) return false;
  return BARE_SUFFIXES.has(text);
}

function isSpelledWith(name: string, code: string): boolean {
  const start = name.indexOf(code);
  return (
    start >= 0 &&
    isBrokerPrefix(name.slice(0, start)) &&
    isBrokerSuffix(name.slice(start + code.length), code)
  );
}

/**
 * The symbol that a broker's name stands for: `EURUSDm`, `EURUSD.i`, `#XAUUSD-ECN`, `EUR/USD`, `GOLD`.
 *
 * A name in `known` is returned in upper case, and an operator's alias gives its symbol. Otherwise the result is the
 * longest known code inside the name that has only a usual prefix and suffix around it, or the symbol of a common name
 * such as `GOLD`. Other names are returned as by `parseSymbol`: null for one that is not well formed. Null also for an
 * unknown name of more than 64 characters.
 */
export function matchBrokerSymbol(
  sent: string,
  known: ReadonlySet<string>,
  aliases: ReadonlyMap<string, string> = NO_ALIASES,
): string | null {
  const name = sent.trim().toUpperCase();
  if (known.has(name)) return name;
  const said = aliases.get(name);
  if (said !== undefined) return said;
  if (name.length > MAX_BROKER_NAME) return null;

  const joined = name.replace(SEPARATED_PAIR, "$1$2");
  const best = [...known, ...ALIASES.keys()]
    .filter((code) => isSpelledWith(name, code) || isSpelledWith(joined, code))
    .sort((a, b) => b.length - a.length || (a < b ? -1 : 1))[0];
  if (best === undefined) return parseSymbol(name);
  return known.has(best) ? best : (ALIASES.get(best) ?? best);
}

/** A pair of currencies, with or without a separator and a broker's suffix. */
const CURRENCY_PAIR = new RegExp(`^(?:${CURRENCIES})[/_. -]?(?:${CURRENCIES})(?![A-Z]{3})`);

/**
 * Default calendar and decimals of a new symbol. `isGuessed`: the kind of instrument is unknown, so an administrator
 * must choose the trading hours.
 */
export function newSymbolDefaults(symbol: string): {
  calendar: CalendarName;
  digits: number;
  isGuessed: boolean;
} {
  if (CRYPTO.test(symbol)) return { calendar: "crypto", digits: 2, isGuessed: false };
  if (METAL.test(symbol))
    return { calendar: "metal", digits: /^(?:XAG|SILVER)/.test(symbol) ? 3 : 2, isGuessed: false };
  if (ENERGY.test(symbol)) return { calendar: "energy", digits: 2, isGuessed: false };
  if (US_INDEX.test(symbol)) return { calendar: "us_index", digits: 1, isGuessed: false };
  if (US_SHARE.test(symbol)) return { calendar: "us_share", digits: 2, isGuessed: false };
  const index = INDICES.find(([pattern]) => pattern.test(symbol));
  if (index !== undefined) return { calendar: index[1], digits: 1, isGuessed: false };
  const digits = symbol.slice(3, 6) === "JPY" ? 3 : 5;
  return { calendar: "fx", digits, isGuessed: !CURRENCY_PAIR.test(symbol) };
}
