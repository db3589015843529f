import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";

export interface ClientHistory {
  /** Symbols of executions opened in the last 30 days. */
  symbols: string[];
  /** Executions among them whose reported times cannot be UTC. */
  nClockSuspect: number;
  /** Median of reported opening less time of receipt of first reports of positions still open then, in minutes. */
  openedAheadMinutes: number | null;
  nRejected24h: number;
  lastRejection: { field: string; msg: string } | null;
}

/** What a subscription's client has told of itself: reports of the last 30 days and refusals of the last day. */
export async function readClientHistory(handle: Handle, subscriptionId: number): Promise<ClientHistory> {
  const [row] = await handle.execute<{
    symbols: string[] | null;
    n_suspect: number;
    ahead: number | null;
    n_rejected: number;
    rejected_field: string | null;
    rejected_msg: string | null;
  }>(sql`
    with recent as (
      select symbol, clock_suspect, extract(epoch from opened_at - created_at) / 60 as ahead, closed_at
        from executions
       where subscription_id = ${subscriptionId} and opened_at > now() - interval '30 days'
       order by opened_at desc, id desc limit 200
    ), refused as (
      select errors from rejected_reports
       where subscription_id = ${subscriptionId} and at > now() - interval '24 hours'
       order by at desc limit 1
    )
    select (select array_agg(distinct symbol) from recent) as symbols,
           (select count(*)::int from recent where clock_suspect) as n_suspect,
           (select percentile_cont(0.5) within group (order by ahead)::float8 from recent where closed_at is null) as ahead,
           (select count(*)::int from rejected_reports
             where subscription_id = ${subscriptionId} and at > now() - interval '24 hours') as n_rejected,
           (select errors -> 0 -> 'loc' ->> -1 from refused) as rejected_field,
           (select errors -> 0 ->> 'msg' from refused) as rejected_msg`);
  return {
    symbols: row?.symbols ?? [],
    nClockSuspect: row?.n_suspect ?? 0,
    openedAheadMinutes: row?.ahead ?? null,
    nRejected24h: row?.n_rejected ?? 0,
    lastRejection: row?.n_rejected
      ? { field: row.rejected_field ?? "body", msg: row.rejected_msg ?? "is not valid" }
      : null,
  };
}
