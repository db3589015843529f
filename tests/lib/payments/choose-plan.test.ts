import { describe, expect, it } from "vitest";
import type { Catalog } from "@/lib/payments/catalog";
import { choosePlan } from "@/lib/payments/choose-plan";

const MONTH = { periodDays: 31, graceDays: 3 };
const CATALOG: Catalog = {
  products: [
    { externalId: "10", planTier: "telegram", periodDays: 365, graceDays: 0, trialDays: null },
    { externalId: "price_1", planTier: "pro", periodDays: 7, graceDays: 1, trialDays: null },
  ],
  unmapped: MONTH,
};

describe("choosePlan", () => {
  it("choosePlan prefers a product's mapping over its name", () => {
    expect(choosePlan({ productIds: ["10"], name: "Pro" }, CATALOG)).toMatchObject({
      planTier: "telegram",
      periodDays: 365,
      graceDays: 0,
      flags: [],
    });
  });

  it("choosePlan finds the mapping by the second of two ids that the platform gives for a product", () => {
    expect(choosePlan({ productIds: ["variant_9", "price_1"], name: "x" }, CATALOG)).toMatchObject({
      productId: "price_1",
      planTier: "pro",
      periodDays: 7,
      flags: [],
    });
  });

  it.each([
    ["Signals PRO", "pro", ["unmapped_product"]],
    ["pro/basic", "pro", ["unmapped_product"]],
    ["basic_pro", "pro", ["unmapped_product"]],
    ["Basic approach", "basic", ["unmapped_product"]],
    ["improved", "pro", ["unmapped_product"]],
    ["basically", "basic", ["unmapped_product"]],
    ["professional basics", "pro", ["unmapped_product"]],
    ["Premium", "basic", ["unmapped_product", "unknown_plan"]],
    ["", "basic", ["unmapped_product", "unknown_plan"]],
  ])("without a mapping the product %j buys %s for the configured period", (name, planTier, flags) => {
    expect(choosePlan({ productIds: ["11"], name }, CATALOG)).toEqual({
      ...MONTH,
      trialDays: null,
      productId: "11",
      planTier,
      flags,
    });
    expect(choosePlan({ productIds: [], name }, CATALOG)).toEqual({
      ...MONTH,
      trialDays: null,
      productId: null,
      planTier,
      flags,
    });
  });
});
