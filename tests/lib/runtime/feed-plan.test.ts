import { describe, expect, it } from "vitest";
import { brokerServerClock } from "@/lib/market/clock";
import {
  BROKER_SERVER_CLOCK_PATTERN,
  FEED_TIMEFRAME_PATTERN,
  parseMarketFeed,
} from "@/lib/runtime/feed-plan";
import { TIMEFRAMES } from "@/lib/vocabulary";

describe("MARKET_FEED", () => {
  it("MARKET_FEED accepts several feeds, each with its symbols and timeframes", () => {
    expect(
      parseMarketFeed(
        "ccxt:binance(BTCUSD=BTC/USDT:H1,m5 PERP=BTC/USDT:USDT:M1); oanda ( eurusd=EUR_USD:H1 ) ;folder:/data/my candles clock=utc+2",
      ),
    ).toEqual({
      kind: "feeds",
      feeds: [
        {
          kind: "ccxt",
          name: "ccxt:binance",
          exchange: "binance",
          slots: [
            { symbol: "BTCUSD", instrument: "BTC/USDT", timeframe: "H1" },
            { symbol: "BTCUSD", instrument: "BTC/USDT", timeframe: "M5" },
            { symbol: "PERP", instrument: "BTC/USDT:USDT", timeframe: "M1" },
          ],
        },
        {
          kind: "oanda",
          name: "oanda",
          slots: [{ symbol: "EURUSD", instrument: "EUR_USD", timeframe: "H1" }],
        },
        { kind: "folder", name: "folder:/data/my candles", path: "/data/my candles", clock: "utc+2" },
      ],
    });
    expect(parseMarketFeed("folder:C:\\candles")).toMatchObject({
      feeds: [{ path: "C:\\candles", clock: null }],
    });
    for (const kind of ["demo", "off"]) expect(parseMarketFeed(` ${kind} `)).toEqual({ kind, feeds: [] });
  });

  it.each([
    ["demo; oanda(EURUSD=EUR_USD:H1)", /^feed 1: must be demo, off, or feeds/],
    ["oanda(EURUSD=EUR_USD:H1);", /^feed 2 is empty/],
    ["oanda(EURUSD=EUR_USD:H1); binance(BTCUSD=BTCUSDT:H1)", /^feed 2: must be/],
    ["oanda()", /names no symbol/],
    ["oanda:x(EURUSD=EUR_USD:H1)", /no name after a colon/],
    ["ccxt(BTCUSD=BTC/USDT:H1)", /needs the exchange/],
    ["oanda(EURUSD=EUR_USD)", /symbol 1 must be written/],
    ["oanda(EURUSD=EUR_USD:H1 XAUUSD=XAU_USD:H1,H5)", /symbol 2: timeframe 2 is not a timeframe of/],
    ["oanda(EURUSD=EUR_USD:H1,H1)", /timeframe 2 occurs twice/],
    ["oanda(E=EUR_USD:H1)", /symbol 1 must have 2 to 24/],
    ["oanda(EURUSD=EUR_USD:M3)", /oanda has no M3/],
    ["ccxt:binance(BTCUSD=BTC/USDT:W1)", /ccxt has no W1/],
    ["oanda(EURUSD=EUR_USD:H1); oanda(XAUUSD=XAU_USD:H1)", /^feed 2: occurs twice/],
    ["folder:/data clock=moscow", /clock= must be/],
  ])("MARKET_FEED=%s is refused, and the problem matches %s", (text, problem) => {
    expect(parseMarketFeed(text)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it("the patterns for a feed's timeframes and clocks accept all known ones and refuse others", () => {
    expect(TIMEFRAMES.filter((timeframe) => !FEED_TIMEFRAME_PATTERN.test(timeframe))).toEqual([]);
    for (const wrong of ["M7", "H5", "D2", "W2", "MN2", "M60"])
      expect(FEED_TIMEFRAME_PATTERN.test(wrong)).toBe(false);
    for (const name of ["utc", "new_york", "europe", "utc+2", "utc-3:30"]) {
      expect(BROKER_SERVER_CLOCK_PATTERN.test(name)).toBe(true);
      expect(brokerServerClock(name)).not.toBeNull();
    }
    for (const name of ["", "UTC", "gmt", "utc+", "utc2"]) {
      expect(BROKER_SERVER_CLOCK_PATTERN.test(name)).toBe(false);
      expect(brokerServerClock(name)).toBeNull();
    }
  });
});
