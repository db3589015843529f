import { describe, expect, it } from "vitest";
import { previewChange } from "@/lib/access/change-plan";
import { settingsCache } from "@/lib/runtime/settings-cache";

const pro = settingsCache().now.plans.find(({ name }) => name === "pro")!;
const linesOf = (change: Partial<typeof pro>) => previewChange(pro, { ...pro, ...change }, [], []).lines;

describe("the preview of a plan's change", () => {
  it("names a new price, a new shop and the end of the offer, also without subscribers", () => {
    expect(
      linesOf({ priceText: "129 EUR a month", shopUrl: "https://shop.example/pro", isShown: false }),
    ).toEqual([
      "The site would no longer offer it.",
      "The site would show the price 129 EUR a month.",
      "Its button would lead to https://shop.example/pro.",
      "No subscriber has this plan.",
    ]);
  });

  it("says nothing about the site when only the limit changes", () => {
    expect(linesOf({ rateLimitPerMin: 20 })).toEqual(["No subscriber has this plan."]);
  });
});
