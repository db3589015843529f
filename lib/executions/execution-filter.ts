import { z } from "zod";
import type { ExecutionFilter } from "@/db/queries/execution-filter";
import { EXECUTION_SORTS, type ExecutionOrder } from "@/db/queries/executions";
import type { SubscriptionPreferences } from "@/db/schema";
import { clockOf, instantOf } from "@/lib/market/clock";
import { addDays } from "@/lib/time";
import { SIDES } from "@/lib/vocabulary";
import {
  choiceFilter,
  optionalFilter,
  pageNumberFilter,
  symbolOrTimeframeFilter,
} from "@/lib/wire/query-filter";

/** A day of the calendar, such as `2026-11-21`. `Date` alone would read 30 February as 2 March. */
const day = optionalFilter(
  z
    .string()
    .regex(/^[12]\d{3}-\d{2}-\d{2}$/)
    .refine((text) => {
      const at = new Date(`${text}T00:00:00Z`);
      return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
    }),
);

/** The hours of a day, 0 to 23, as in query parameters. */
export const HOUR_CHOICES = Array.from({ length: 24 }, (_, hour) => String(hour));

/** The query parameters of the results page, the positions page and the export. */
export const ExecutionQuery = z.object({
  days: choiceFilter(["7", "30", "90", "365"]),
  from: day,
  to: day,
  closed_on: day,
  closed_weekday: choiceFilter(["1", "2", "3", "4", "5", "6", "7"]),
  closed_hour: choiceFilter(HOUR_CHOICES),
  symbol: symbolOrTimeframeFilter,
  timeframe: symbolOrTimeframeFilter,
  signal: choiceFilter(SIDES),
  state: choiceFilter(["open", "closed"]),
  outcome: choiceFilter(["win", "loss"]),
  // Any word, because EAs also send other results. A NUL is refused: PostgreSQL cannot store it in text.
  result: optionalFilter(
    z
      .string()
      .max(64)
      .refine((text) => !text.includes("\0")),
  ),
  terminal: optionalFilter(z.string().regex(/^[A-Za-z0-9_-]{8,64}$/)),
  currency: optionalFilter(z.string().regex(/^[A-Za-z]{1,12}$/)),
  sort: choiceFilter(EXECUTION_SORTS),
  dir: choiceFilter(["asc", "desc"]),
  page: pageNumberFilter,
});

export type ExecutionQuery = z.output<typeof ExecutionQuery>;

/**
 * The database filter of a query for one subscription. Days begin at midnight of its preferred clock; `to` is included.
 */
export function filterOf(
  query: ExecutionQuery,
  reader: { subscriptionId: number; preferences: SubscriptionPreferences },
  now: Date,
): ExecutionFilter {
  const clock = clockOf(reader.preferences);
  const midnight = (day: string, daysOn = 0) =>
    instantOf(clock, addDays(new Date(`${day}T00:00:00Z`), daysOn));
  const from = query.from ? midnight(query.from) : query.days ? addDays(now, -Number(query.days)) : undefined;
  const to = query.to ? midnight(query.to, 1) : undefined;
  const closedOn = query.closed_on ? { day: query.closed_on, clock } : undefined;
  const closedIn =
    query.closed_weekday || query.closed_hour
      ? { weekday: numberOf(query.closed_weekday), hour: numberOf(query.closed_hour), clock }
      : undefined;
  const { subscriptionId } = reader;
  const { symbol, timeframe, signal, state, outcome, result, terminal, currency } = query;
  const said = { symbol, timeframe, signal, state, outcome, result, terminal, currency };
  return { subscriptionId, from, to, closedOn, closedIn, ...said };
}

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

/** The sort order of a query. Default: newest opening first. */
export function orderOf(query: ExecutionQuery): ExecutionOrder {
  return { sort: query.sort ?? "opened_at", descending: query.dir !== "asc" };
}
