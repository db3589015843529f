import { choice, choiceOf, search } from "@/app/admin/_components/list/list-filter";
import { plans } from "@/lib/access/plans";
import { countFilter } from "@/lib/wire/query-filter";

/** By what the list of subscribers is narrowed, and what is done to all of them at once. */
export const subscriberFilters = () => ({
  q: search("Name, address, note, key hint"),
  plan: choiceOf(
    "Plan",
    plans().map(({ name }) => name),
  ),
  state: choice("Access", {
    active: "Active",
    expired: "Expired",
    suspended: "Suspended",
    revoked: "Revoked",
    none: "No key",
  }),
  expiring: {
    reads: countFilter(365),
    field: {
      label: "Ends within",
      options: [3, 7, 30].map((days) => ({ value: String(days), label: `${days} days` })),
    },
  },
  ea: choice("EA", {
    online: "Online",
    silent: "Silent",
    delayed: "Delayed",
    offline: "Offline",
    never: "Never seen",
  }),
});
