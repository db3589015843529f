import { expect, it } from "vitest";
import { countWithNoun, formatCount } from "@/lib/runtime/count-with-noun";

it("a count has grouped thousands, and the noun agrees with it", () => {
  expect([0, 999, 1_300, 12_345_678].map(formatCount)).toEqual(["0", "999", "1,300", "12,345,678"]);
  expect(countWithNoun(1, "key is", "keys are")).toBe("1 key is");
  expect(countWithNoun(1_300, "key is", "keys are")).toBe("1,300 keys are");
  expect(countWithNoun(2, "day")).toBe("2 days");
});
