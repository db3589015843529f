import { z } from "zod";
import { type ListFilterValues, searchFilter, selectFilter } from "@/app/admin/_components/list/list-filter";
import type { SubscriberFilter } from "@/db/queries/subscribers";
import { plans } from "@/lib/access/plans";
import { optionalFilter, wholeNumberFilter } from "@/lib/wire/query-filter";

/** Maximum number of ticked rows: the largest page size. */
const MAX_SELECTED = 200;

/** Ids of ticked rows: repeated, as checkboxes send them, or separated by commas. */
const ids = optionalFilter(
  z.preprocess(
    (value) => (Array.isArray(value) ? value.join(",") : value),
    z
      .string()
      .regex(/^[0-9]{1,9}(?:,[0-9]{1,9})*$/)
      .refine((text) => text.split(",").length <= MAX_SELECTED),
  ),
);

/** Filters of the list of subscribers, also used by its bulk actions. */
export const subscriberListFilters = () => ({
  q: searchFilter("Name, address, note, key hint"),
  plan: selectFilter("Plan", Object.fromEntries(plans().map(({ name, title }) => [name, title]))),
  state: selectFilter("Access", {
    active: "Active",
    expired: "Expired",
    suspended: "Suspended",
    revoked: "Revoked",
    none: "No key",
  }),
  expiring: {
    reads: wholeNumberFilter(365),
    field: {
      label: "Ends within",
      options: [3, 7, 30].map((days) => ({ value: String(days), label: `${days} days` })),
    },
  },
  ea: selectFilter("EA", {
    online: "Online",
    silent: "Silent",
    delayed: "Delayed",
    offline: "Offline",
    never: "Never seen",
  }),
  try_out: selectFilter("Try-out", { yes: "Try-out", no: "No try-out" }),
  ids: { reads: ids },
});

/** Filter values as URLs and forms contain them. */
export type SubscriberListQuery = Partial<ListFilterValues<ReturnType<typeof subscriberListFilters>>>;

/** Converts filter values to the filter of the database query. */
export const toSubscriberFilter = ({
  q,
  plan,
  state,
  expiring,
  ea,
  try_out,
  ids,
}: SubscriberListQuery): SubscriberFilter => ({
  q,
  plan,
  state,
  ea,
  expiringDays: expiring,
  tryOut: try_out === undefined ? undefined : try_out === "yes",
  ids: ids?.split(",").map(Number),
});

/** The query parameters of the list with these filter values. */
export const subscriberListParams = ({
  q,
  plan,
  state,
  expiring,
  ea,
  try_out,
  ids,
}: SubscriberListQuery) => ({
  q,
  plan,
  state,
  expiring,
  ea,
  try_out,
  ids,
});
