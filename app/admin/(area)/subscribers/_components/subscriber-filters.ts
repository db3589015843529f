import { z } from "zod";
import { choice, type Shown, search } from "@/app/admin/_components/list/list-filter";
import type { SubscriberFilter } from "@/db/queries/subscribers";
import { plans } from "@/lib/access/plans";
import { countFilter, optionalFilter } from "@/lib/wire/query-filter";

/** Most rows that can be ticked: those of the longest page. */
const MOST_TICKED = 200;

/** Numbers of ticked rows: repeated, as a list with boxes sends them, or joined by commas. */
const ids = optionalFilter(
  z.preprocess(
    (value) => (Array.isArray(value) ? value.join(",") : value),
    z
      .string()
      .regex(/^[0-9]{1,9}(?:,[0-9]{1,9})*$/)
      .refine((text) => text.split(",").length <= MOST_TICKED),
  ),
);

/** By what the list of subscribers is narrowed, and what is done to all of them at once. */
export const subscriberFilters = () => ({
  q: search("Name, address, note, key hint"),
  plan: choice("Plan", Object.fromEntries(plans().map(({ name, title }) => [name, title]))),
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
  ids: { reads: ids },
});

/** Which subscribers are meant, as an address or a form says it. */
export type ShownSubscribers = Partial<Shown<ReturnType<typeof subscriberFilters>>>;

/** The list as the database is asked for it. */
export const subscriberFilter = ({
  q,
  plan,
  state,
  expiring,
  ea,
  ids,
}: ShownSubscribers): SubscriberFilter => ({
  q,
  plan,
  state,
  ea,
  expiringDays: expiring,
  ids: ids?.split(",").map(Number),
});

/** The list in an address. */
export const subscriberQuery = ({ q, plan, state, expiring, ea, ids }: ShownSubscribers) => ({
  q,
  plan,
  state,
  expiring,
  ea,
  ids,
});
