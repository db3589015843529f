import type { DatabaseHandle } from "@/db/client";
import { listProducts } from "@/db/queries/payments";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { type SettingValues, settingInForce } from "@/lib/settings/registry";
import type { PaymentAdapterName, PlanTier } from "@/lib/vocabulary";

/**
 * Days of access that a payment buys, and days of grace, added once to a new key and after a failed payment.
 */
export interface PurchasePeriod {
  periodDays: number;
  graceDays: number;
}

/** What one product of a platform buys. */
export interface Product extends PurchasePeriod {
  externalId: string;
  planTier: PlanTier;
  /** Days of a trial, for platforms that do not report its end; null: unknown. */
  trialDays: number | null;
}

export interface Catalog {
  products: Product[];
  /** What a product that is not in the table buys. */
  unmapped: PurchasePeriod;
}

/** The products of a platform with their plans and periods, read from the database. */
export async function readCatalog(handle: DatabaseHandle, adapter: PaymentAdapterName): Promise<Catalog> {
  const [products, { days, graceDays }] = await Promise.all([
    listProducts(handle, adapter),
    settingInForce(handle, "unmapped_product"),
    // Loads the plans into the cache: applying a payment compares their scopes and ranks.
    settingsCache().get(),
  ]);
  return { products, unmapped: { periodDays: days, graceDays } };
}

/**
 * The setting that names the events of the generic format that report a failed payment or a won chargeback, with the days
 * of grace after a failed payment.
 */
export const readPaymentEventsSetting = (handle: DatabaseHandle): Promise<SettingValues["payment_events"]> =>
  settingInForce(handle, "payment_events");
