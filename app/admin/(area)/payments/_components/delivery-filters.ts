import { choice, search } from "@/app/admin/_components/list/list-filter";
import { ACTION_LABELS, PLATFORM_LABELS } from "@/app/admin/_components/payment-labels";

/** Filters of the payment inbox. */
export const DELIVERY_FILTERS = {
  q: search("Address, invoice id or email#ab12"),
  adapter: choice("Platform", PLATFORM_LABELS),
  action: choice("Outcome", ACTION_LABELS),
  flagged: choice("Flags", { yes: "Payments that need you" }),
};
