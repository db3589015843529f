import { choice, choiceOf, search } from "@/app/admin/_components/list/list-filter";
import { PLAN_TIERS } from "@/lib/vocabulary";
import { countFilter } from "@/lib/wire/query-filter";

/** By what the list of subscribers is narrowed, and what is done to all of them at once. */
export const SUBSCRIBER_FILTERS = {
  q: search("Name, address, note, key hint"),
  plan: choiceOf("Plan", PLAN_TIERS),
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
};
