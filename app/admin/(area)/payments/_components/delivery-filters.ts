import { choice, search } from "@/app/admin/_components/list/list-filter";
import { ACTION_WORDS, PLATFORM_WORDS } from "@/app/admin/_components/payment-words";

/** Filters of the payment inbox. */
export const DELIVERY_FILTERS = {
  q: search("Address, invoice id or email#ab12"),
  adapter: choice("Platform", PLATFORM_WORDS),
  action: choice("Outcome", ACTION_WORDS),
  flagged: choice("Flags", { yes: "Payments that need you" }),
};
