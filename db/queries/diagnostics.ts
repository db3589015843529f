import { sql } from "drizzle-orm";
import type { Handle } from "../client";

export interface ClientHistory {
  /** Symbols of executions opened in the last 30 days, most frequent first. */
  symbols: string[];
  timeframes: string[];
  /** Of the newest reports: how many told times that cannot be UTC. */
  nReports: number;
  nClockSuspect: number;
  /** Median of reported opening less time of receipt of first reports of positions still open then, in minutes. */
  openedAheadMinutes: number | null;
  nRejected24h: number;
  lastRejection: { at: Date; field: string; msg: string } | null;
}

/** What a subscription's client has told of itself: reports of the last 30 days and refusals of the last day. */
export async function readClientHistory(handle: Handle, subscriptionId: number): Promise<ClientHistory> {
  const [row] = await handle.execute<{
    symbols: string[] | null;
    timeframes: string[] | null;
    n_reports: number;
    n_suspect: number;
    ahead: number | null;
    n_rejected: number;
    rejected_ms: string | null;
    rejected_field: string | null;
    rejected_msg: string | null;
  }>(sql`
    with recent as (
      select symbol, timeframe, clock_suspect, extract(epoch from opened_at - created_at) / 60 as ahead, closed_at
        from executions
       where subscription_id = ${subscriptionId} and opened_at > now() - interval '30 days'
       order by opened_at desc, id desc limit 200
    ), refused as (
      select at, errors from rejected_reports
       where subscription_id = ${subscriptionId} and at > now() - interval '24 hours'
       order by at desc limit 1
    )
    select (select array_agg(distinct symbol) from recent) as symbols,
           (select array_agg(distinct timeframe) from recent) as timeframes,
           (select count(*)::int from recent) as n_reports,
           (select count(*)::int from recent where clock_suspect) as n_suspect,
           (select percentile_cont(0.5) within group (order by ahead)::float8 from recent where closed_at is null) as ahead,
           (select count(*)::int from rejected_reports
             where subscription_id = ${subscriptionId} and at > now() - interval '24 hours') as n_rejected,
           (select extract(epoch from at) * 1000 from refused) as rejected_ms,
           (select errors -> 0 -> 'loc' ->> -1 from refused) as rejected_field,
           (select errors -> 0 ->> 'msg' from refused) as rejected_msg`);
  return {
    symbols: row?.symbols ?? [],
    timeframes: row?.timeframes ?? [],
    nReports: row?.n_reports ?? 0,
    nClockSuspect: row?.n_suspect ?? 0,
    openedAheadMinutes: row?.ahead ?? null,
    nRejected24h: row?.n_rejected ?? 0,
    lastRejection:
      row?.rejected_ms == null
        ? null
        : {
            at: new Date(Number(row.rejected_ms)),
            field: row.rejected_field ?? "body",
            msg: row.rejected_msg ?? "is not valid",
          },
  };
}
