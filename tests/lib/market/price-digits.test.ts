import { expect, it } from "vitest";
import { priceDigits } from "@/lib/market/price-digits";

it.each([
  ["a pair", 5, [1.10123, 1.09], 5],
  ["yen", 3, [150.123], 3],
  ["gold", 2, [2650.12], 2],
  ["oil", 2, [71.23], 2],
  ["a coin at 0.5234", 2, [0.5234, 0.53], 5],
  ["a coin at 0.00000123", 2, [0.00000123, 0.0000013], 10],
  ["a coin whose stop has one digit less", 2, [1.02, 0.98], 5],
  ["a price that is nearly nothing", 2, [1e-30], 12],
  ["no price", 2, [null, undefined, 0], 2],
] as const)("priceDigits of %s, with %i digits and the prices %j, is %i", (_, digits, prices, shown) => {
  expect(priceDigits(digits, prices)).toBe(shown);
});
