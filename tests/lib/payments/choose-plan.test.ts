import { describe, expect, it } from "vitest";
import { choosePlan, type Product } from "@/lib/payments/choose-plan";

const PRODUCTS: Product[] = [{ productId: "10", planTier: "telegram", kind: "single" }];

describe("choosePlan", () => {
  it("the map counts before the name", () => {
    expect(choosePlan({ productId: "10", name: "Pro" }, PRODUCTS)).toEqual({
      planTier: "telegram",
      kind: "single",
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
  ])("outside the map %j buys %s by the month", (name, planTier, flags) => {
    expect(choosePlan({ productId: "11", name }, PRODUCTS)).toEqual({ planTier, kind: "monthly", flags });
    expect(choosePlan({ productId: null, name }, PRODUCTS)).toEqual({ planTier, kind: "monthly", flags });
  });
});
