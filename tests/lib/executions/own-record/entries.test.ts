import { expect, it } from "vitest";
import { digitsBySymbol } from "@/lib/executions/own-record/entries";

it("digitsBySymbol gives a low-priced coin the decimals it needs, and others their symbol's", () => {
  const slots = ["EURUSD", "PEPEUSD", "XAUUSD"].map((symbol) => ({
    symbol,
    digits: symbol === "XAUUSD" ? 2 : 5,
  }));
  const entries = [
    { signal: { symbol: "EURUSD", entryPrice: 1.08123 } },
    { signal: { symbol: "PEPEUSD", entryPrice: 0.00000123 } },
  ];
  expect([...digitsBySymbol(slots, entries)]).toEqual([
    ["EURUSD", 5],
    ["PEPEUSD", 10],
    ["XAUUSD", 2],
  ]);
});
