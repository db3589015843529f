import type { PlanTier, ProductKind } from "@/lib/vocabulary";
import type { DeliveryFlag, PurchasedItem } from "./delivery";

export interface Product {
  productId: string;
  planTier: PlanTier;
  kind: ProductKind;
}

export interface Purchase {
  planTier: PlanTier;
  kind: ProductKind;
  flags: DeliveryFlag[];
}

/**
 * The plan and period that an item buys: by the product map, else by its name. In a name a whole word counts before a
 * part of a word, and `pro` before `basic`; a name with neither buys `basic` and is flagged. Products outside the map
 * run monthly (decision 68).
 */
export function choosePlan(item: PurchasedItem, products: readonly Product[]): Purchase {
  const known = products.find((product) => product.productId === item.productId);
  if (known) return { planTier: known.planTier, kind: known.kind, flags: [] };

  const name = item.name.toLowerCase();
  const named = planNamed(name);
  if (named) return { planTier: named, kind: "monthly", flags: ["unmapped_product"] };
  return { planTier: "basic", kind: "monthly", flags: ["unmapped_product", "unknown_plan"] };
}

const NAMES = ["pro", "basic"] as const;

function planNamed(name: string): PlanTier | null {
  const asWord = NAMES.find((plan) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${plan}(?![\\p{L}\\p{N}])`, "u").test(name),
  );
  return asWord ?? NAMES.find((plan) => name.includes(plan)) ?? null;
}
