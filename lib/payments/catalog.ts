import { z } from "zod";
import type { Handle } from "@/db/client";
import { listProducts } from "@/db/queries/payments";
import { readSetting } from "@/db/queries/settings";
import { operated } from "@/lib/runtime/operated";
import type { ProductKind } from "@/lib/vocabulary";
import type { Product } from "./choose-plan";

/** Days of access that a kind of product buys, and days added once to a new key. */
export interface Period {
  days: number;
  graceDays: number;
}

export interface Catalog {
  products: Product[];
  periods: Record<ProductKind, Period>;
}

const PeriodSetting = z.object({ days: z.int().min(1).max(3660), graceDays: z.int().min(0).max(366) });
const Periods = z.object({ parent: PeriodSetting, monthly: PeriodSetting, single: PeriodSetting });

/** The products, their plans and their periods, as the database has them now. */
export async function readCatalog(handle: Handle): Promise<Catalog> {
  const [products, periods] = await Promise.all([
    listProducts(handle),
    readSetting<unknown>(handle, "payment_periods"),
    // A payment compares the ranks of plans.
    operated().get(),
  ]);
  return { products, periods: Periods.parse(periods) };
}

const EventSetting = z.object({
  failed: z.array(z.string()).max(100),
  chargebackWon: z.array(z.string()).max(100),
  failureGraceDays: z.int().min(0).max(90),
});

/** What the platform calls events beside those of the interface, and the days of grace after a failed payment. */
export async function readPaymentEvents(handle: Handle): Promise<z.output<typeof EventSetting>> {
  return EventSetting.parse(await readSetting<unknown>(handle, "payment_events"));
}
