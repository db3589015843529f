import { searchFilter, selectFilter } from "@/app/admin/_components/list/list-filter";
import { DELIVERY_EFFECT_LABELS, PLATFORM_LABELS } from "@/app/admin/_components/payment-labels";

/** Filters of the payment inbox. */
export const DELIVERY_FILTERS = {
  q: searchFilter("Address, invoice id or email#ab12"),
  adapter: selectFilter("Platform", PLATFORM_LABELS),
  effect: selectFilter("Outcome", DELIVERY_EFFECT_LABELS),
  flagged: selectFilter("Flags", { yes: "Payments to review" }),
};
