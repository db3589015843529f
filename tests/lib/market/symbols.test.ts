import { describe, expect, it } from "vitest";
import { matchBrokerSymbol, newSymbolDefaults, parseSymbol } from "@/lib/market/symbols";

const KNOWN = new Set([
  "EURUSD",
  "GBPUSD",
  "USDJPY",
  "XAUUSD",
  "XAGUSD",
  "BTCUSD",
  "BTCUSDT",
  "US30",
  "US300",
]);

describe("parseSymbol", () => {
  it("parseSymbol trims symbols and puts them in upper case", () => {
    expect(parseSymbol(" eurusd\t")).toBe("EURUSD");
    expect(parseSymbol("us500.cash")).toBe("US500.CASH");
    expect(parseSymbol("A-B_c.1")).toBe("A-B_C.1");
  });

  it("parseSymbol returns null for a malformed symbol", () => {
    for (const text of [
      "",
      "E",
      ".EURUSD",
      "#EURUSD",
      "EUR/USD",
      "EUR USD",
      "EURUSD\0",
      "ЕURUSD",
      "A".repeat(25),
    ]) {
      expect(parseSymbol(text), text).toBeNull();
    }
    expect(parseSymbol("A".repeat(24))).toBe("A".repeat(24));
  });
});

describe("matchBrokerSymbol", () => {
  it.each([
    ["EURUSD", "EURUSD"],
    [" eurusd ", "EURUSD"],
    ["EURUSDm", "EURUSD"],
    ["EURUSDc", "EURUSD"],
    ["EURUSD.m", "EURUSD"],
    ["EURUSD.a", "EURUSD"],
    ["EURUSD.i", "EURUSD"],
    ["EURUSD.pro", "EURUSD"],
    ["EURUSD.raw", "EURUSD"],
    ["EURUSDpro", "EURUSD"],
    ["EURUSD.ecn", "EURUSD"],
    ["EURUSD_", "EURUSD"],
    ["EURUSD+", "EURUSD"],
    ["EURUSD ecn", "EURUSD"],
    ["#EURUSD", "EURUSD"],
    ["FX.EURUSD", "EURUSD"],
    ["OANDA:EURUSD", "EURUSD"],
    ["#EURUSD.i", "EURUSD"],
    ["EUR/USD", "EURUSD"],
    ["EUR/USDm", "EURUSD"],
    ["EUR_USD", "EURUSD"],
    ["XAUUSD-ECN", "XAUUSD"],
    ["GOLD", "XAUUSD"],
    ["gold", "XAUUSD"],
    ["GOLDm", "XAUUSD"],
    ["GOLD.pro", "XAUUSD"],
    ["#GOLD", "XAUUSD"],
    ["SILVER", "XAGUSD"],
    ["US30.cash", "US30"],
  ])("the broker's symbol %s is matched to %s", (sent, canonical) => {
    expect(matchBrokerSymbol(sent, KNOWN)).toBe(canonical);
  });

  it("a canonical name is never stripped or renamed", () => {
    const known = new Set([...KNOWN, "EURUSDM", "EURUSD.I", "GOLD"]);
    expect(matchBrokerSymbol("EURUSDm", known)).toBe("EURUSDM");
    expect(matchBrokerSymbol("EURUSD.i", known)).toBe("EURUSD.I");
    expect(matchBrokerSymbol("GOLD", known)).toBe("GOLD");
    expect(matchBrokerSymbol("GOLD.a", known)).toBe("GOLD");
  });

  it("a broker's symbol is matched to the longest known code", () => {
    expect(matchBrokerSymbol("BTCUSDTm", KNOWN)).toBe("BTCUSDT");
    expect(matchBrokerSymbol("BTCUSD.t", KNOWN)).toBe("BTCUSD");
    expect(matchBrokerSymbol("US300m", KNOWN)).toBe("US300");
  });

  it("another quote currency is not taken for a broker's suffix", () => {
    const known = new Set(["BTCUSD", "EURUSD"]);
    expect(matchBrokerSymbol("BTCUSDT", known)).toBe("BTCUSDT");
    expect(matchBrokerSymbol("BTCUSDC", known)).toBe("BTCUSDC");
  });

  it("a longer word that contains a code is another instrument", () => {
    expect(matchBrokerSymbol("GOLDMAN", KNOWN)).toBe("GOLDMAN");
    expect(matchBrokerSymbol("US3000", KNOWN)).toBe("US3000");
    expect(matchBrokerSymbol("GOLDEURUSDXYZ", KNOWN)).toBe("GOLDEURUSDXYZ");
  });

  it("an unknown name is returned in canonical spelling, and a malformed one as null", () => {
    expect(matchBrokerSymbol("nzdchf.i", KNOWN)).toBe("NZDCHF.I");
    expect(matchBrokerSymbol("EURUSDm", new Set())).toBe("EURUSDM");
    for (const sent of ["", " ", "#", "NZD/CHF", `EURUSD${".".repeat(80)}`, "\0"]) {
      expect(matchBrokerSymbol(sent, KNOWN), sent).toBeNull();
    }
  });

  it("the broker's symbol GOLD is matched to XAUUSD even when no symbol is known", () => {
    expect(matchBrokerSymbol("GOLD", new Set())).toBe("XAUUSD");
  });
});

describe("newSymbolDefaults", () => {
  it.each([
    ["EURUSD", "fx", 5],
    ["USDJPY", "fx", 3],
    ["USDJPY.I", "fx", 3],
    ["XAUUSD", "metal", 2],
    ["XAUJPY", "metal", 2],
    ["XAGUSD", "metal", 3],
    ["XPTUSD", "metal", 2],
    ["BTCUSD", "crypto", 2],
    ["BTCUSDT", "crypto", 2],
    ["BTCJPY", "crypto", 2],
    ["BTCIDR", "crypto", 2],
    ["ETH-PERP", "crypto", 2],
    ["SOLUSD", "crypto", 2],
    ["XRPUSD", "crypto", 2],
    ["ADANI", "fx", 5],
    ["SOLAR", "fx", 5],
    ["US500.CASH", "us_index", 1],
  ])("the new symbol %s gets the calendar %s and %i digits", (symbol, calendar, digits) => {
    expect(newSymbolDefaults(symbol)).toMatchObject({ calendar, digits });
  });

  it.each([
    ["EURUSD", false],
    ["USDJPY.I", false],
    ["EURUSDm", false],
    ["XAUUSD", false],
    ["ETH-PERP", false],
    ["US500.CASH", false],
    ["USDIDR", false],
    ["DE40", false],
    ["IT40", true],
    ["AAPL", true],
    ["USOIL", false],
    ["CADENCE", true],
    ["EURUSDIDX", true],
  ])("whether the calendar of the new symbol %s counts as guessed: %s", (symbol, isGuessed) => {
    expect(newSymbolDefaults(symbol.toUpperCase()).isGuessed).toBe(isGuessed);
  });
});
