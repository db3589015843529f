import { and, eq, gt, gte, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import { executions } from "@/db/schema";
import type { Side } from "@/lib/vocabulary";

/** A filter of one subscription's executions. All fields except `subscriptionId` are optional. */
export interface ExecutionFilter {
  subscriptionId: number;
  /** Opened after. */
  after?: Date | undefined;
  /** Opened at or after. */
  from?: Date | undefined;
  /** Opened before. */
  to?: Date | undefined;
  /** Closed at or after. */
  closedFrom?: Date | undefined;
  /** Closed on this local day, `2026-11-21`. */
  closedOn?: { day: string; clock: ZonedClock } | undefined;
  /** Closed on this local weekday, 1 (Monday) to 7, and in this local hour, 0 to 23; each is optional. */
  closedIn?: { weekday?: number | undefined; hour?: number | undefined; clock: ZonedClock } | undefined;
  symbol?: string | undefined;
  timeframe?: string | undefined;
  signal?: Side | undefined;
  result?: string | undefined;
  state?: "open" | "closed" | undefined;
  outcome?: "win" | "loss" | undefined;
  terminal?: string | undefined;
  /** The currency of the account, as the EA reports it. */
  currency?: string | undefined;
}

/** A subscriber's clock: the wall clock of an IANA time zone plus `addMinutes` (`Clock` in lib/market/clock.ts). */
export interface ZonedClock {
  zone: string;
  addMinutes: number;
}

/** SQL: the time of an execution's close by this clock, as a timestamp without time zone. */
export const wallTimeOfClose = (clock: ZonedClock): SQL =>
  sql`((closed_at at time zone ${clock.zone}) + make_interval(mins => ${clock.addMinutes}))`;

/** The SQL condition of a filter. It includes the filter's subscription. */
export function executionConditions(filter: ExecutionFilter): SQL {
  const condition = and(
    eq(executions.subscriptionId, filter.subscriptionId),
    filter.after && gt(executions.openedAt, filter.after),
    filter.from && gte(executions.openedAt, filter.from),
    filter.to && lt(executions.openedAt, filter.to),
    filter.closedOn && sql`${wallTimeOfClose(filter.closedOn.clock)}::date = ${filter.closedOn.day}::date`,
    filter.closedIn && closedIn(filter.closedIn),
    filter.closedFrom && gte(executions.closedAt, filter.closedFrom),
    filter.symbol ? eq(executions.symbol, filter.symbol) : undefined,
    filter.timeframe ? eq(executions.timeframe, filter.timeframe) : undefined,
    filter.signal && eq(executions.signal, filter.signal),
    filter.result ? eq(executions.result, filter.result) : undefined,
    filter.terminal ? eq(executions.terminal, filter.terminal) : undefined,
    filter.currency ? eq(executions.currency, filter.currency) : undefined,
    filter.state === "open" ? isNull(executions.closedAt) : undefined,
    filter.state === "closed" ? isNotNull(executions.closedAt) : undefined,
    filter.outcome === "win" ? sql`${executions.closedAt} is not null and ${executions.pnl} > 0` : undefined,
    filter.outcome === "loss" ? sql`${executions.closedAt} is not null and ${executions.pnl} < 0` : undefined,
  );
  if (!condition) throw new Error("a filter always names its owner");
  return condition;
}

function closedIn({ weekday, hour, clock }: NonNullable<ExecutionFilter["closedIn"]>): SQL | undefined {
  const wall = wallTimeOfClose(clock);
  return and(
    weekday === undefined ? undefined : sql`extract(isodow from ${wall}) = ${weekday}`,
    hour === undefined ? undefined : sql`extract(hour from ${wall}) = ${hour}`,
  );
}
