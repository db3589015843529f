import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { columns, decimal, number, type Row, text, timestamp } from "./columns";
import { array } from "./parameters";

/** Maximum number of terminals stored per subscription, so that a client that changes its name cannot fill the table. */
export const MAX_TERMINALS = 20;

export interface TerminalBeat {
  subscriptionId: number;
  terminal: string;
  server: string | null;
  account: string | null;
  lastSeenAt: Date;
  nCalls: number;
}

/**
 * Stores the last calls of terminals in one statement: updates known terminals, and adds new ones up to MAX_TERMINALS per
 * subscription. `last_seen_at` never moves back. Sorted, so that two replicas never deadlock.
 */
export async function writeTerminals(handle: DatabaseHandle, beats: readonly TerminalBeat[]): Promise<void> {
  const of = (name: Exclude<keyof TerminalBeat, "lastSeenAt">) => beats.map((beat) => beat[name]);
  const seenMs = beats.map(({ lastSeenAt }) => lastSeenAt.getTime());
  await handle.execute(sql`
    with beat as (
      select * from unnest(${array(of("subscriptionId"), "int")}, ${array(of("terminal"), "text")},
                           ${array(of("server"), "text")}, ${array(of("account"), "text")},
                           ${array(seenMs, "float8")}, ${array(of("nCalls"), "bigint")})
                    as b(subscription_id, terminal, server, account, seen_ms, n_calls)
    ), placed as (
      select b.*, t.terminal is not null as is_known,
             (select count(*) from terminals o where o.subscription_id = b.subscription_id)
               + row_number() over (partition by b.subscription_id, t.terminal is null order by b.terminal) as place
        from beat b left join terminals t using (subscription_id, terminal)
    )
    insert into terminals as t (subscription_id, terminal, server, account, last_seen_at, n_calls)
    select subscription_id, terminal, server, account, to_timestamp(seen_ms / 1000), n_calls
      from placed where is_known or place <= ${MAX_TERMINALS}
     order by subscription_id, terminal
    on conflict (subscription_id, terminal) do update set
      server = coalesce(excluded.server, t.server),
      account = coalesce(excluded.account, t.account),
      last_seen_at = greatest(t.last_seen_at, excluded.last_seen_at),
      n_calls = t.n_calls + excluded.n_calls`);
}

const TERMINAL = columns({
  terminal: text("t.terminal"),
  server: text<string | null>("t.server"),
  account: text<"demo" | "real" | "contest" | null>("t.account"),
  firstSeenAt: timestamp("t.first_seen_at"),
  lastSeenAt: timestamp("t.last_seen_at"),
  nOpen: number("x.n_open"),
  nClosed: number("x.n_closed"),
  /**
   * P/L sum of the closed positions as decimal text; null if none of them has a P/L, or those with one have several
   * currencies, or only some of those have one.
   */
  pnl: decimal<string | null>("x.pnl"),
  currency: text<string | null>("x.currency"),
  nNotTraded: number("u.n"),
});
export type Terminal = Row<typeof TERMINAL>;

/**
 * The terminals of a subscription, last used first, with figures of the positions opened, and the number of reports of
 * signals that were not traded, in the last 30 days.
 */
export async function listTerminals(handle: DatabaseHandle, subscriptionId: number): Promise<Terminal[]> {
  return TERMINAL.all(
    handle,
    sql`
    with recent as materialized (
      select terminal, closed_at, case when closed_at is not null then pnl end as pnl, currency from executions
       where subscription_id = ${subscriptionId} and opened_at > now() - interval '30 days' and terminal is not null
    ), untraded as materialized (
      select terminal from untraded_signals
       where subscription_id = ${subscriptionId} and at > now() - interval '30 days'
    )
    select ${TERMINAL.list}
      from terminals t,
           lateral (select count(*) filter (where closed_at is null)::int as n_open,
                           count(closed_at)::int as n_closed,
                           case when count(distinct coalesce(currency, '')) filter (where pnl is not null) <= 1 then sum(pnl) end as pnl,
                           min(currency) filter (where pnl is not null) as currency
                      from recent r where r.terminal = t.terminal) x,
           lateral (select count(*)::int as n from untraded r where r.terminal = t.terminal) u
     where t.subscription_id = ${subscriptionId}
     order by t.last_seen_at desc, t.terminal`,
  );
}
