import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { TIMEFRAMES } from "@/lib/vocabulary";
import { columns, number, type Row, text, textArray } from "./columns";
import { array } from "./parameters";

const HISTORY = columns({
  /** Symbols of the executions opened in the last 30 days, of which the newest 200 are read. */
  symbols: textArray("coalesce((select array_agg(distinct symbol) from recent), '{}')"),
  /** Values reported as the timeframe of these executions that are no timeframe of this service. */
  otherLabels: textArray(
    "coalesce((select array_agg(distinct timeframe order by timeframe) from labelled), '{}')",
  ),
  /** Number of these executions whose reported times contradict each other or the time of the report. */
  nClockSuspect: number("(select count(*)::int from recent where clock_suspect)"),
  /** Median of (reported opening - receipt), in minutes, of those of these executions that are still open; null: none. */
  openedAheadMinutes: number<number | null>(
    "(select percentile_cont(0.5) within group (order by ahead)::float8 from recent where closed_at is null)",
  ),
  /** Tickets of these executions that have an exit price or a result, but no closing time. */
  closedWithoutTime: textArray(
    "coalesce((select array_agg(ticket::text order by ticket) from recent where closed_at is null and is_ended), '{}')",
  ),
  nRejected24h: number("(select count(*)::int from refused)"),
  rejectedField: text<string | null>("(select errors -> 0 -> 'loc' ->> -1 from last_refused)"),
  rejectedMsg: text<string | null>("(select errors -> 0 ->> 'msg' from last_refused)"),
});

export interface ClientHistory extends Omit<Row<typeof HISTORY>, "rejectedField" | "rejectedMsg"> {
  lastRejection: { field: string; msg: string } | null;
}

/**
 * Facts from a subscription's executions of the last 30 days, and from its rejected reports of the last 24 hours. A
 * rejected report whose ticket was reported again and accepted later is mended and does not count.
 */
export async function readClientHistory(
  handle: DatabaseHandle,
  subscriptionId: number,
): Promise<ClientHistory> {
  const { rejectedField, rejectedMsg, ...history } = await HISTORY.one(
    handle,
    sql`
    with recent as (
      select symbol, timeframe, clock_suspect, extract(epoch from opened_at - created_at) / 60 as ahead, closed_at, ticket,
             exit_price is not null or result is not null as is_ended
        from executions
       where subscription_id = ${subscriptionId} and opened_at > now() - interval '30 days'
       order by opened_at desc, id desc limit 200
    ), labelled as (
      select timeframe from recent where timeframe <> all(${array(TIMEFRAMES, "text")})
    ), refused as not materialized (
      select errors, at from rejected_reports r
       where subscription_id = ${subscriptionId} and at > now() - interval '24 hours'
         and not exists (
           select from executions e
            where e.subscription_id = ${subscriptionId} and e.updated_at > r.at
              and e.ticket::text = substring(r.body_excerpt from '"ticket"\\s*:\\s*"?([0-9]+)'))
    ), last_refused as (
      select errors from refused order by at desc limit 1
    )
    select ${HISTORY.list}`,
  );
  const lastRejection =
    history.nRejected24h === 0
      ? null
      : { field: rejectedField ?? "body", msg: rejectedMsg ?? "is not valid" };
  return { ...history, lastRejection };
}
