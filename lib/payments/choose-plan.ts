import type { PlanTier } from "@/lib/vocabulary";
import type { Catalog, PurchasePeriod } from "./catalog";
import type { DeliveryFlag, PurchasedItem } from "./delivery";

export interface Purchase extends PurchasePeriod {
  /** The platform's id of the product: the one in the product table, otherwise the most specific id of the item. */
  productId: string | null;
  planTier: PlanTier;
  trialDays: number | null;
  flags: DeliveryFlag[];
}

/**
 * The plan and period of an item: by the product table, otherwise by its name. In a name a whole word takes precedence over
 * part of a word, and `pro` over `basic`; a name with neither gets `basic` and a flag. Products that are not in the table
 * use the period of the setting `unmapped_product`.
 */
export function choosePlan(item: PurchasedItem, { products, unmapped }: Catalog): Purchase {
  const known = products.find(({ externalId }) => item.productIds.includes(externalId));
  if (known) {
    const { externalId: productId, planTier, periodDays, graceDays, trialDays } = known;
    return { productId, planTier, periodDays, graceDays, trialDays, flags: [] };
  }

  const unknown = { ...unmapped, productId: item.productIds[0] ?? null, trialDays: null };
  const named = planNamed(item.name.toLowerCase());
  if (named) return { ...unknown, planTier: named, flags: ["unmapped_product"] };
  return { ...unknown, planTier: "basic", flags: ["unmapped_product", "unknown_plan"] };
}

const NAMES = ["pro", "basic"] as const;

function planNamed(name: string): PlanTier | null {
  const asWord = NAMES.find((plan) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${plan}(?![\\p{L}\\p{N}])`, "u").test(name),
  );
  return asWord ?? NAMES.find((plan) => name.includes(plan)) ?? null;
}
