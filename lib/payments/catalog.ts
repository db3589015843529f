import type { Handle } from "@/db/client";
import { listProducts } from "@/db/queries/payments";
import { readSetting } from "@/db/queries/settings";
import { operated } from "@/lib/runtime/operated";
import { PaymentEvents, UnmappedProduct } from "@/lib/runtime/setting-documents";
import type { PaymentAdapterName, PlanTier } from "@/lib/vocabulary";

/** Days of access that a payment buys, and days of grace: added once to a new key, given after a failed payment. */
export interface Period {
  periodDays: number;
  graceDays: number;
}

/** What a product of a platform buys. */
export interface Product extends Period {
  externalId: string;
  planTier: PlanTier;
}

export interface Catalog {
  products: Product[];
  /** What a product outside the table buys. */
  unmapped: Period;
}

/** The products of a platform, their plans and their periods, as the database has them now. */
export async function readCatalog(handle: Handle, adapter: PaymentAdapterName): Promise<Catalog> {
  const [products, unmapped] = await Promise.all([
    listProducts(handle, adapter),
    readSetting<unknown>(handle, "unmapped_product"),
    // A payment compares the scopes and ranks of plans.
    operated().get(),
  ]);
  const { days, graceDays } = UnmappedProduct.parse(unmapped);
  return { products, unmapped: { periodDays: days, graceDays } };
}

/** What the platform calls events beside those of the interface, and the days of grace after a failed payment. */
export async function readPaymentEvents(handle: Handle): Promise<PaymentEvents> {
  return PaymentEvents.parse(await readSetting<unknown>(handle, "payment_events"));
}
