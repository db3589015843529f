import { eq, type SQL, sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { portalReadMarkers } from "@/db/schema";
import type { Timeframe } from "@/lib/vocabulary";
import { columns, decimal, number, type Row, text } from "./columns";
import { type SlotScope, slotIdsInScope } from "./slots";

/** Time up to which a subscriber has marked events in the portal as read; null: never. */
export async function findSeenUntil(handle: DatabaseHandle, subscriptionId: number): Promise<Date | null> {
  const [row] = await handle
    .select({ seenUntil: portalReadMarkers.seenUntil })
    .from(portalReadMarkers)
    .where(eq(portalReadMarkers.subscriptionId, subscriptionId));
  return row?.seenUntil ?? null;
}

/** Sets the time up to which a subscriber has read events. It never moves back. */
export async function writeSeenUntil(
  handle: DatabaseHandle,
  subscriptionId: number,
  seenUntil: Date,
): Promise<void> {
  await handle
    .insert(portalReadMarkers)
    .values({ subscriptionId, seenUntil })
    .onConflictDoUpdate({
      target: portalReadMarkers.subscriptionId,
      set: { seenUntil: sql`greatest(${portalReadMarkers.seenUntil}, excluded.seen_until)` },
    });
}

const HAPPENED = columns({
  nResolved: number("r.n"),
  nWins: number("r.n_wins"),
  /** Sum of the results after costs; 0 without results. */
  totalR: number("r.total_r"),
  nClosed: number("e.n"),
  nWithPnl: number("e.n_with_pnl"),
  totalPnl: decimal("e.total_pnl"),
  nIncidents: number("i.n"),
  nOpenIncidents: number("i.n_open"),
});

/**
 * Counts of events since an instant: results of live signals in scope that were recorded, closed positions of the
 * subscription that were reported or whose close or P/L changed, and incidents that opened or closed. With
 * `onlyHappened`, signals that ended and positions that closed before the instant are left out, even if they were
 * recorded later.
 */
export async function readUnreadCounts(
  handle: DatabaseHandle,
  {
    subscriptionId,
    scope,
    since,
    onlyHappened,
  }: { subscriptionId: number; scope: SlotScope; since: Date; onlyHappened: boolean },
): Promise<Row<typeof HAPPENED>> {
  const from = sql`${since.toISOString()}::timestamptz`;
  const happened = (column: SQL) => (onlyHappened ? sql`and ${column} > ${from}` : sql``);
  return HAPPENED.one(
    handle,
    sql`
    select ${HAPPENED.list}
      from (select count(*)::int as n, count(*) filter (where o.result_r > 0)::int as n_wins, coalesce(sum(o.result_r), 0) as total_r
              from outcomes o where o.resolved_at > ${from} and o.result_r is not null and not o.backfilled
               ${happened(sql`o.ended_at`)}
               and o.slot_id = any(${slotIdsInScope(scope)})) r,
           (select count(*)::int as n, count(pnl)::int as n_with_pnl, coalesce(sum(pnl), 0) as total_pnl from executions
             where subscription_id = ${subscriptionId} and closed_at is not null and updated_at > ${from} ${happened(sql`closed_at`)}
               and (created_at > ${from} or exists (
                     select 1 from execution_changes c
                      where c.execution_id = executions.id and c.at > ${from} and c.after ?| array['closedAt', 'pnl']))) e,
           (select count(*)::int as n, count(*) filter (where closed_at is null)::int as n_open from incidents
             where opened_at > ${from} or closed_at > ${from}) i`,
  );
}

const CHANGED = columns({
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("m.model_v"),
});
export type NewChampion = Row<typeof CHANGED>;

/** Slots in scope whose champion became champion after an instant, by symbol and timeframe. */
export async function listChampionsSince(
  handle: DatabaseHandle,
  { scope, since }: { scope: SlotScope; since: Date },
): Promise<NewChampion[]> {
  return CHANGED.all(
    handle,
    sql`
    select ${CHANGED.list} from models m join slots s on s.id = m.slot_id
     where m.is_active and m.champion_since > ${since.toISOString()}::timestamptz
       and m.slot_id = any(${slotIdsInScope(scope)})
     order by s.symbol, s.timeframe`,
  );
}
