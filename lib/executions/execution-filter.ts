import { z } from "zod";
import type { ExecutionFilter } from "@/db/queries/execution-filter";
import { EXECUTION_SORTS, type ExecutionOrder } from "@/db/queries/executions";
import type { SubscriptionPreferences } from "@/db/schema";
import { clockOf } from "@/lib/market/clock";
import { addDays, DAY_MS } from "@/lib/time";
import { SIDES } from "@/lib/vocabulary";
import { codeFilter, optionalFilter, pageFilter } from "@/lib/wire/query-filter";

/** `2026-11-21`: a day that is in the calendar. `Date` alone would read 30 February as 2 March. */
const day = optionalFilter(
  z
    .string()
    .regex(/^[12]\d{3}-\d{2}-\d{2}$/)
    .refine((text) => {
      const at = new Date(`${text}T00:00:00Z`);
      return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
    }),
);

/** What the addresses of results, list and export carry. The list and its export read the very same words. */
export const ExecutionQuery = z.object({
  days: optionalFilter(z.enum(["7", "30", "90", "365"])),
  from: day,
  to: day,
  closed_on: day,
  symbol: codeFilter,
  timeframe: codeFilter,
  signal: optionalFilter(z.enum(SIDES)),
  state: optionalFilter(z.enum(["open", "closed"])),
  outcome: optionalFilter(z.enum(["win", "loss"])),
  // Whatever an EA called it; a NUL is in no text of the database.
  result: optionalFilter(
    z
      .string()
      .max(64)
      .refine((text) => !text.includes("\0")),
  ),
  sort: optionalFilter(z.enum(EXECUTION_SORTS)),
  dir: optionalFilter(z.enum(["asc", "desc"])),
  page: pageFilter,
});

export type ExecutionQuery = z.output<typeof ExecutionQuery>;

/**
 * The executions of one subscription that a query means. `from` and `to` are UTC days of opening, both included;
 * `closed_on` is a day of the reader's clock, as the calendar has it.
 */
export function filterOf(
  query: ExecutionQuery,
  reader: { subscriptionId: number; preferences: SubscriptionPreferences },
  now: Date,
): ExecutionFilter {
  const from = query.from
    ? new Date(`${query.from}T00:00:00Z`)
    : query.days
      ? addDays(now, -Number(query.days))
      : undefined;
  const to = query.to ? new Date(Date.parse(`${query.to}T00:00:00Z`) + DAY_MS) : undefined;
  const closedOn = query.closed_on ? { day: query.closed_on, clock: clockOf(reader.preferences) } : undefined;
  const { subscriptionId } = reader;
  const { symbol, timeframe, signal, state, outcome, result } = query;
  return { subscriptionId, from, to, closedOn, symbol, timeframe, signal, state, outcome, result };
}

/** Newest opening first unless another order was asked for. */
export function orderOf(query: ExecutionQuery): ExecutionOrder {
  return { sort: query.sort ?? "opened_at", descending: query.dir !== "asc" };
}
