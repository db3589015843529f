import { type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { executions } from "@/db/schema";
import { DAY_MS } from "@/lib/time";
import {
  columns,
  decimal,
  epochMicros,
  json,
  MICROS_PER_MS,
  number,
  type Row,
  text,
  timestamp,
  timestampOrNull,
} from "./columns";
import {
  type ExecutionFilter,
  executionConditions,
  wallTimeOfClose,
  type ZonedClock,
} from "./execution-filter";

const CLOSED_WITH_WIN = "closed_at is not null and pnl > 0";
const CLOSED_WITH_LOSS = "closed_at is not null and pnl < 0";

/** Counts and exact sums of positions. Amounts are decimal text from PostgreSQL's numeric. */
const SUMS = columns({
  nTotal: number("count(*)::int"),
  nOpen: number("count(*) filter (where closed_at is null)::int"),
  nClosed: number("count(closed_at)::int"),
  /** Number of positions closed without a reported P/L, which are excluded from all amounts. */
  nWithoutPnl: number("count(*) filter (where closed_at is not null and pnl is null)::int"),
  nWins: number(`count(*) filter (where ${CLOSED_WITH_WIN})::int`),
  nLosses: number(`count(*) filter (where ${CLOSED_WITH_LOSS})::int`),
  nFlat: number("count(*) filter (where closed_at is not null and pnl = 0)::int"),
  grossProfit: decimal(`coalesce(sum(pnl) filter (where ${CLOSED_WITH_WIN}), 0)`),
  grossLoss: decimal(`coalesce(-sum(pnl) filter (where ${CLOSED_WITH_LOSS}), 0)`),
  totalPnl: decimal("coalesce(sum(pnl) filter (where closed_at is not null), 0)"),
  bestPnl: decimal<string | null>("max(pnl) filter (where closed_at is not null)"),
  worstPnl: decimal<string | null>("min(pnl) filter (where closed_at is not null)"),
  /** Maximum drawdown of the running P/L sum in order of closing. The sum and its peak start at 0. */
  maxDrawdown: decimal("coalesce((select max(below_peak) from peaks), 0)"),
  longestWinRun: number("coalesce((select max(n) from runs where side > 0), 0)"),
  longestLossRun: number("coalesce((select max(n) from runs where side < 0), 0)"),
  bestRunPnl: decimal<string | null>("select max(pnl) from runs where side > 0"),
  worstRunPnl: decimal<string | null>("select min(pnl) from runs where side < 0"),
  firstOpenedAt: timestampOrNull("min(opened_at)"),
  lastClosedAt: timestampOrNull("max(closed_at)"),
});
export type ExecutionSums = Row<typeof SUMS>;

/** Counts, sums, maximum drawdown and longest streaks of the filtered executions. */
export async function sumFilteredExecutions(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
): Promise<ExecutionSums> {
  return SUMS.one(
    handle,
    sql`
    with wanted as (
      select id, opened_at, closed_at, pnl from ${executions} where ${executionConditions(filter)}
    ), closed as (
      select pnl, sign(pnl)::int as side, sum(pnl) over in_order as running, row_number() over in_order as nth
        from wanted where closed_at is not null and pnl is not null
      window in_order as (order by closed_at, id)
    ), peaks as (
      select greatest(0, max(running) over (order by nth)) - running as below_peak from closed
    ), sided as (
      select side, pnl, nth - row_number() over (partition by side order by nth) as island from closed where side <> 0
    ), runs as (
      select side, count(*)::int as n, sum(pnl) as pnl from sided group by side, island
    )
    select ${SUMS.list} from wanted`,
  );
}

const COUNTED = columns({
  n: number("count(*)::int"),
  nClosed: number("count(closed_at)::int"),
  totalPnl: decimal("coalesce(sum(pnl) filter (where closed_at is not null), 0)"),
});

/** Whether a filter matches all executions of a subscription. */
export const isUnfiltered = ({ subscriptionId: _, ...conditions }: ExecutionFilter): boolean =>
  Object.values(conditions).every((condition) => condition === undefined);

/**
 * Number of the filtered executions and of the closed ones among them, and the exact P/L sum of the closed ones. If the
 * filter has no conditions, they come from the daily totals.
 */
export async function countFilteredExecutions(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
): Promise<Row<typeof COUNTED>> {
  if (isUnfiltered(filter)) {
    const { nTotal, nClosed, totalPnl } = await sumExecutions(handle, filter.subscriptionId, new Date(0));
    return { n: nTotal, nClosed, totalPnl };
  }
  return COUNTED.one(
    handle,
    sql`select ${COUNTED.list} from ${executions} where ${executionConditions(filter)}`,
  );
}

const OPENED = columns({ openedAt: timestamp("opened_at") });

/**
 * The opening time of the filtered execution that follows the `max` newest ones (by opening); null: at most `max` match.
 */
export async function findOpeningBeforeNewestN(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
  max: number,
): Promise<Date | null> {
  const [found] = await OPENED.all(
    handle,
    sql`
    select ${OPENED.list} from ${executions} where ${executionConditions(filter)}
     order by opened_at desc, id desc limit 1 offset ${max}`,
  );
  return found?.openedAt ?? null;
}

/** A closed position with its P/L, and the P/L sum (`running`) of all filtered positions closed up to it. */
export interface ClosedResult {
  openedMs: number;
  closedMs: number;
  pnl: number;
  running: number;
}

/** The rows as one JSON array: the driver would be slow with thousands of rows. */
const CLOSED_RESULTS = columns({
  rows: json<[openedUs: number, closedUs: number, pnl: number, running: number][] | null>(sql`
    json_agg(json_build_array(${epochMicros("opened_at")}, ${epochMicros("closed_at")}, pnl, running) order by closed_at, id)`),
});

/** The filtered closed positions with a P/L, in order of closing. `running` is an exact sum, rounded once to a number. */
export async function listClosedResults(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
): Promise<ClosedResult[]> {
  const { rows } = await CLOSED_RESULTS.one(
    handle,
    sql`
    select ${CLOSED_RESULTS.list}
      from (select id, opened_at, closed_at, pnl, sum(pnl) over (order by closed_at, id) as running from ${executions}
             where ${executionConditions({ ...filter, state: "closed" })} and pnl is not null) closed`,
  );
  return (rows ?? []).map(([openedUs, closedUs, pnl, running]) => ({
    openedMs: openedUs / MICROS_PER_MS,
    closedMs: closedUs / MICROS_PER_MS,
    pnl,
    running,
  }));
}

const WORTHS = columns({
  symbol: text("symbol"),
  currency: text<string | null>("currency"),
  /** P/L of one lot if the price moves by one unit in the position's favour. */
  perLot: number(
    "(pnl / ((case when signal = 'BUY' then 1 else -1 end) * (exit_price - entry_price) * volume))::float8",
  ),
});
export type PointValue = Row<typeof WORTHS>;

/**
 * P/L per lot and price unit of each of a subscription's `limit` last closed positions, without those that lack an
 * entry price, an exit price, a volume or a P/L, or closed at their entry price.
 */
export async function listPointValues(
  handle: DatabaseHandle,
  subscriptionId: number,
  limit: number,
): Promise<PointValue[]> {
  return WORTHS.all(
    handle,
    sql`select ${WORTHS.list}
          from (select * from executions where subscription_id = ${subscriptionId} and closed_at is not null
                 order by closed_at desc limit ${limit}) newest
         where volume > 0 and pnl is not null and entry_price is not null and exit_price <> entry_price`,
  );
}

/** Ways to group closed positions. `hour`, `weekday`, `month` and `day` are of the close, by the subscriber's clock. */
export type ExecutionGrouping = "symbol" | "timeframe" | "hour" | "weekday" | "month" | "day";

const GROUPED = columns({
  kind: text<ExecutionGrouping>("kind"),
  key: text("key"),
  n: number("sum(n)::int"),
  nWins: number("sum(n_wins)::int"),
  nLosses: number("sum(n_losses)::int"),
  totalPnl: decimal("sum(total_pnl)"),
});
export interface ExecutionGroup extends Omit<Row<typeof GROUPED>, "kind" | "key"> {
  /** By grouping: a symbol, a timeframe, an hour `0`..`23`, a weekday `1` (Monday)..`7`, `2026-11` or `2026-11-21`. */
  key: string;
}

/**
 * Counts and P/L sums of the filtered closed positions with a P/L by one grouping, in order of the group's key as text.
 */
export async function groupExecutions(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
  by: ExecutionGrouping,
  clock: ZonedClock,
): Promise<ExecutionGroup[]> {
  return (await groupExecutionsByEach(handle, filter, [by], clock))[by] ?? [];
}

/**
 * SQL of each grouping: `of` computes the value by which rows are grouped, `write` formats it as the group's key. Formatting
 * comes after grouping, because text is slow to sort and `to_char` slow to call. `wall` is the time of the close by the
 * subscriber's clock, or the start of its day.
 */
const KEYS: Record<ExecutionGrouping, { of: (wall: SQL) => SQL; write: (key: SQL) => SQL }> = {
  symbol: { of: () => sql`symbol`, write: (key) => key },
  timeframe: { of: () => sql`timeframe`, write: (key) => key },
  hour: { of: (wall) => sql`extract(hour from ${wall})::int`, write: (key) => sql`${key}::text` },
  weekday: { of: (wall) => sql`extract(isodow from ${wall})::int`, write: (key) => sql`${key}::text` },
  month: { of: (wall) => sql`date_trunc('month', ${wall})`, write: (key) => sql`to_char(${key}, 'YYYY-MM')` },
  day: { of: (wall) => sql`date_trunc('day', ${wall})`, write: (key) => sql`to_char(${key}, 'YYYY-MM-DD')` },
};

/** Groupings that are computed from the groups by day if `day` is requested, too. */
const OF_DAYS: ReadonlySet<ExecutionGrouping> = new Set(["month", "weekday"]);

/** Sums of the filtered executions by group, for several groupings in one scan. */
export async function groupExecutionsByEach<By extends ExecutionGrouping>(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
  kinds: readonly By[],
  clock: ZonedClock,
): Promise<Partial<Record<By, ExecutionGroup[]>>> {
  const hasDays = kinds.some((by) => by === "day");
  const ofDays = kinds.filter((by) => hasDays && OF_DAYS.has(by));
  const ofPositions = kinds.filter((by) => !ofDays.includes(by));
  const key = (by: By): SQL => sql`${sql.identifier(`by_${by}`)}`;
  const list = (parts: SQL[]) => sql.join(parts, sql`, `);
  const kind = sql`case ${sql.join(
    ofPositions.map((by) => sql`when grouping(${key(by)}) = 0 then ${by}::text`),
    sql` `,
  )} end`;
  const sums = sql`n, n_wins, n_losses, total_pnl`;
  const summedUp = ofDays.map((by) => {
    const written = KEYS[by].write(KEYS[by].of(sql`by_day`));
    return sql`union all select ${by}::text, ${written}, ${sums} from counted where kind = 'day'`;
  });
  const rows = await GROUPED.all(
    handle,
    sql`
    with counted as materialized (
      select ${kind} as kind, ${list(ofPositions.map(key))}, count(*) as n, count(*) filter (where pnl > 0) as n_wins,
             count(*) filter (where pnl < 0) as n_losses, sum(pnl) as total_pnl
        from (select ${list(ofPositions.map((by) => sql`${KEYS[by].of(sql`wall`)} as ${key(by)}`))}, pnl
                from (select symbol, timeframe, pnl, ${wallTimeOfClose(clock)} as wall from ${executions}
                       where ${executionConditions({ ...filter, state: "closed" })} and pnl is not null) closed) keyed
       group by grouping sets (${list(ofPositions.map((by) => sql`(${key(by)})`))}))
    select ${GROUPED.list}
      from (select kind, coalesce(${list(ofPositions.map((by) => KEYS[by].write(key(by))))}) as key, ${sums} from counted
            ${sql.join(summedUp, sql` `)}) grouped
     group by kind, key order by key`,
  );
  const groups: Partial<Record<By, ExecutionGroup[]>> = {};
  for (const { kind, ...group } of rows) {
    // Only requested groupings occur.
    const ofKind = groups[kind as By] ?? [];
    ofKind.push(group);
    groups[kind as By] = ofKind;
  }
  return groups;
}

/** Exact sums, as decimal text. */
const TOTALS = columns({
  nTotal: number("coalesce(sum(n_total), 0)::int"),
  nClosed: number("coalesce(sum(n_closed), 0)::int"),
  nWins: number("coalesce(sum(n_wins), 0)::int"),
  nLosses: number("coalesce(sum(n_losses), 0)::int"),
  grossProfit: decimal("coalesce(sum(gross_profit), 0)"),
  grossLoss: decimal("coalesce(sum(gross_loss), 0)"),
  totalPnl: decimal("coalesce(sum(gross_profit) - sum(gross_loss), 0)"),
});
export type ExecutionTotals = Row<typeof TOTALS>;

/**
 * Totals of a subscription's executions opened after `since`. Whole UTC days come from daily totals, the rest of the day
 * of `since` from its executions. Amounts are exact.
 */
export async function sumExecutions(
  handle: DatabaseHandle,
  subscriptionId: number,
  since: Date,
): Promise<ExecutionTotals> {
  const nextDay = new Date(Math.floor(since.getTime() / DAY_MS + 1) * DAY_MS).toISOString();
  return TOTALS.one(
    handle,
    sql`
    select ${TOTALS.list}
      from (
        select n_total, n_closed, n_wins, n_losses, gross_profit, gross_loss
          from execution_days
         where subscription_id = ${subscriptionId} and day >= ${nextDay.slice(0, 10)}::date
        union all
        select count(*)::int, count(closed_at)::int,
               count(*) filter (where ${sql.raw(CLOSED_WITH_WIN)})::int,
               count(*) filter (where ${sql.raw(CLOSED_WITH_LOSS)})::int,
               coalesce(sum(pnl) filter (where ${sql.raw(CLOSED_WITH_WIN)}), 0),
               coalesce(-sum(pnl) filter (where ${sql.raw(CLOSED_WITH_LOSS)}), 0)
          from executions
         where subscription_id = ${subscriptionId}
           and opened_at > ${since.toISOString()}::timestamptz and opened_at < ${nextDay}::timestamptz
      ) parts`,
  );
}

const DETAIL_SUMS = columns({
  /** Currency of the amounts; null: not reported. */
  currency: text<string | null>("currency"),
  n: number("count(*)::int"),
  volume: decimal<string | null>("sum(volume)"),
  commission: decimal<string | null>("sum(commission)"),
  swap: decimal<string | null>("sum(swap)"),
});
export type VolumeAndCostSums = Row<typeof DETAIL_SUMS>;

/** Sums of volume, commission and swap by currency, over the filtered positions that reported any of the three. */
export async function sumVolumeAndCosts(
  handle: DatabaseHandle,
  filter: ExecutionFilter,
): Promise<VolumeAndCostSums[]> {
  return DETAIL_SUMS.all(
    handle,
    sql`select ${DETAIL_SUMS.list} from ${executions}
         where ${executionConditions(filter)} and num_nonnulls(volume, commission, swap) > 0
         group by currency order by count(*) desc, currency`,
  );
}
