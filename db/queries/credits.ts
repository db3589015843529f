import { and, asc, desc, eq, lte, sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import { type CreditedInterval, downtimeCredits, incidents, subscriptions } from "@/db/schema";
import type { CalendarName, DowntimeCreditState, PlanTier, Timeframe } from "@/lib/vocabulary";
import {
  columns,
  json,
  number,
  type Row,
  text,
  textArray,
  timestamp,
  timestampMs,
  timestampMsOrNull,
  timestampOrNull,
} from "./columns";
import { isInForce, keyColumnsAs, planInForce, plansInForce } from "./key-state";
import { extendableSubscribers, type SubscriberFilter } from "./subscribers";

const ACTIVE = columns({
  slotId: number("s.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  calendar: text<CalendarName>("y.calendar"),
});

/** Slots with a signal that was not backfilled, of a candle that opened in this window. */
export async function listSlotsWithSignals(
  handle: DatabaseHandle,
  window: { from: Date; to: Date },
): Promise<Row<typeof ACTIVE>[]> {
  return ACTIVE.all(
    handle,
    sql`
    select ${ACTIVE.list}
      from slots s join symbols y on y.symbol = s.symbol
     where exists (select 1 from signals g
                    where g.slot_id = s.id and not g.backfilled
                      and g.ts >= ${window.from.toISOString()}::timestamptz and g.ts < ${window.to.toISOString()}::timestamptz)
     order by s.id`,
  );
}

const LATE = columns({
  slotId: number("late.slot_id"),
  tsMs: timestampMs("late.ts"),
  /** Open time of the slot's next stored candle after the signal's; null: none is stored. */
  nextCandleMs: timestampMsOrNull(
    "(select min(c.ts) from candles c where c.slot_id = late.slot_id and c.ts > late.ts)",
  ),
  /** Creation time of the slot's next signal in the window that was not backfilled; null: none. */
  nextMadeMs: timestampMsOrNull("late.next_at"),
});

/**
 * Signals of candles that opened in this window, without backfilled ones, after which no signal of the slot followed in
 * the window, or only more than one candle length and 15 minutes after their candle's close. Closed markets are not
 * considered, so signals before nights and weekends are included.
 */
export async function listSignalsBeforeGaps(
  handle: DatabaseHandle,
  window: { from: Date; to: Date },
): Promise<Row<typeof LATE>[]> {
  return LATE.all(
    handle,
    sql`
    select ${LATE.list}
      from slots s
      cross join lateral (
        select g.slot_id, g.ts, g.closes_at, lead(g.created_at) over (order by g.ts, g.created_at) as next_at
          from signals g
         where g.slot_id = s.id and not g.backfilled and g.ts >= ${window.from.toISOString()}::timestamptz
           and g.ts < ${window.to.toISOString()}::timestamptz) late
     where late.next_at is null
        or late.next_at > late.closes_at + (late.closes_at - late.ts) + interval '15 minutes'`,
  );
}

const AWAY = columns({
  fromMs: timestampMs("away.minute + interval '1 minute'"),
  toMs: timestampMs("away.next_at"),
});

/**
 * Intervals of this window, three minutes or longer, after a health probe and without one: no worker ran. The last
 * interval reaches to the window's end, as a worker that starts after an outage may not have written a probe yet.
 */
export async function listUnprobedIntervals(
  handle: DatabaseHandle,
  window: { from: Date; to: Date },
): Promise<Row<typeof AWAY>[]> {
  return AWAY.all(
    handle,
    sql`
    select ${AWAY.list}
      from (select minute, coalesce(lead(minute) over (order by minute), ${window.to.toISOString()}::timestamptz) as next_at
              from health_probes
             where minute >= ${window.from.toISOString()}::timestamptz and minute < ${window.to.toISOString()}::timestamptz) away
     where away.next_at > away.minute + interval '3 minutes'`,
  );
}

/** Automatic incidents that were open at some time in this window, oldest first. */
export async function listIncidentsDuring(handle: DatabaseHandle, window: { from: Date; to: Date }) {
  return handle
    .select({
      component: incidents.component,
      reasons: incidents.reasons,
      openedAt: incidents.openedAt,
      closedAt: incidents.closedAt,
    })
    .from(incidents)
    .where(
      and(
        lte(incidents.openedAt, window.to),
        sql`(${incidents.closedAt} is null or ${incidents.closedAt} >= ${window.from.toISOString()}::timestamptz)`,
      ),
    )
    .orderBy(asc(incidents.openedAt));
}

const PAYING = columns({
  subscriptionId: number("s.id"),
  planTier: text<PlanTier>("k.plan_tier"),
  /** All plans in force, the highest first. */
  plans: json<PlanTier[]>("k.plans"),
  symbolsAllowed: textArray<string[] | null>("k.symbols_allowed"),
  tfsAllowed: textArray<string[] | null>("k.tfs_allowed"),
  expiresMs: timestampMs("k.expires_at"),
  /** When the first of the subscriber's invoices was stored that are in the state `paid` and have an effect. */
  paidSinceMs: timestampMs("p.since"),
});

/** Subscribers with a paid invoice and a working key that has an end date, each with the newest such key. */
export async function listPayingSubscribers(handle: DatabaseHandle): Promise<Row<typeof PAYING>[]> {
  return PAYING.all(
    handle,
    sql`
    select ${PAYING.list}
      from (select i.subscription_id, min(i.created_at) as since from invoices i
             where i.state = 'paid' and i.effect is not null and i.subscription_id is not null
             group by i.subscription_id) p
      join subscriptions s on s.id = p.subscription_id
      join lateral (select ${planInForce(keyColumnsAs("k"))} as plan_tier, ${plansInForce(keyColumnsAs("k"))} as plans,
                            k.symbols_allowed, k.tfs_allowed, k.expires_at from api_keys k
                     where k.subscription_id = s.id and k.expires_at is not null and ${isInForce(keyColumnsAs("k"))}
                     order by k.id desc limit 1) k on true
     order by s.id`,
  );
}

/** Stores proposed credits. An existing credit of a subscriber and month is kept. Returns the number of new ones. */
export async function insertCredits(
  handle: DatabaseHandle,
  rows: (typeof downtimeCredits.$inferInsert)[],
): Promise<number> {
  let inserted = 0;
  for (let at = 0; at < rows.length; at += 500) {
    const made = await handle
      .insert(downtimeCredits)
      .values(rows.slice(at, at + 500))
      .onConflictDoNothing()
      .returning({ id: downtimeCredits.id });
    inserted += made.length;
  }
  return inserted;
}

/** Proposed downtime credits that are due to be granted at `now`, with the addresses of their subscribers. */
export async function listDueCredits(handle: DatabaseHandle, now: Date, limit: number) {
  return handle
    .select({
      id: downtimeCredits.id,
      subscriptionId: downtimeCredits.subscriptionId,
      emailNormalized: subscriptions.emailNormalized,
    })
    .from(downtimeCredits)
    .innerJoin(subscriptions, eq(subscriptions.id, downtimeCredits.subscriptionId))
    .where(and(eq(downtimeCredits.state, "proposed"), lte(downtimeCredits.dueAt, now)))
    .orderBy(asc(downtimeCredits.dueAt), asc(downtimeCredits.id))
    .limit(limit);
}

/** A downtime credit in the state `proposed`, locked until commit; null: it is unknown or no longer proposed. */
export async function lockProposedCredit(tx: Transaction, id: number) {
  const [row] = await tx
    .select()
    .from(downtimeCredits)
    .where(and(eq(downtimeCredits.id, id), eq(downtimeCredits.state, "proposed")))
    .for("update");
  return row ?? null;
}

/** Stores that a downtime credit was granted, declined or made void. */
export async function settleCredit(
  tx: Transaction,
  id: number,
  settled: { state: DowntimeCreditState; keyId: number | null; settledAt: Date },
): Promise<void> {
  await tx.update(downtimeCredits).set(settled).where(eq(downtimeCredits.id, id));
}

/** Declines all proposed downtime credits, and returns them. */
export async function declineProposedCredits(tx: Transaction) {
  return tx
    .update(downtimeCredits)
    .set({ state: "declined", settledAt: sql`now()` })
    .where(eq(downtimeCredits.state, "proposed"))
    .returning({
      id: downtimeCredits.id,
      subscriptionId: downtimeCredits.subscriptionId,
      month: downtimeCredits.month,
      minutes: downtimeCredits.minutes,
    });
}

/** SQL: by how much the audit entry \`a\` of an extension moved the end of access. Days of expired access count from \`at\`. */
const EXTENDED_BY = sql.raw(
  "((a.details->>'to')::timestamptz - greatest((a.details->>'from')::timestamptz, a.at))",
);

const CREDIT = columns({
  id: number("c.id"),
  subscriptionId: number("c.subscription_id"),
  userName: text("s.user_name"),
  /** First day of the month in UTC. */
  month: text("c.month::text"),
  minutes: number("c.minutes"),
  stretches: json<CreditedInterval[]>("c.stretches"),
  state: text<DowntimeCreditState>("c.state"),
  dueAt: timestamp("c.due_at"),
  settledAt: timestampOrNull("c.settled_at"),
  /** Minutes by which administrators extended the access since the first outage and before the decision; null: none. */
  extendedMinutes: number<number | null>("e.minutes"),
  extendedAt: timestampOrNull("e.last_at"),
});
export type CreditRow = Row<typeof CREDIT>;

/** Downtime credits of all subscribers, optionally of one state, newest month first. */
export async function listCredits(
  handle: DatabaseHandle,
  { limit, offset, state }: { limit: number; offset: number; state?: DowntimeCreditState | undefined },
): Promise<CreditRow[]> {
  const order = sql`order by c.month desc, c.minutes desc, c.id`;
  return CREDIT.all(
    handle,
    sql`
    select ${CREDIT.list}
      from (select * from downtime_credits c
             where ${state === undefined ? sql`true` : sql`c.state = ${state}`}
             ${order} limit ${limit} offset ${offset}) c
      join subscriptions s on s.id = c.subscription_id
      left join lateral (
        select round(sum(extract(epoch from ${EXTENDED_BY})) / 60)::int as minutes, max(a.at) as last_at
          from admin_audit a
         where a.subscription_id = c.subscription_id
           and a.at >= coalesce((c.stretches->0->>'from')::timestamptz, c.month)
           and a.at < coalesce(c.settled_at, 'infinity')
           and case when a.action = 'key.extend' and a.details->>'from' is not null
                    then ${EXTENDED_BY} > interval '0' else false end) e on true
     ${order}`,
  );
}

/** Days for which a granted credit counts as recent: an outage at the start of a month is credited a month later. */
export const RECENT_CREDIT_DAYS = 35;

const RECENT_CREDITS = columns({
  nProposed: number("count(*) filter (where c.is_proposed)::int"),
  nGranted: number("count(*) filter (where c.is_granted)::int"),
  /** The longest credit of one subscriber, in minutes; 0: there is none. */
  longestMinutes: number("coalesce(max(c.minutes), 0)::int"),
});
export type RecentCredits = Row<typeof RECENT_CREDITS>;

/**
 * Number of filtered subscribers that a bulk extension would extend and who have a proposed downtime credit, or were
 * granted one in the last RECENT_CREDIT_DAYS days.
 */
export async function countRecentCredits(
  handle: DatabaseHandle,
  filter: SubscriberFilter,
): Promise<RecentCredits> {
  return RECENT_CREDITS.one(
    handle,
    sql`
    select ${RECENT_CREDITS.list}
      from (select bool_or(d.state = 'proposed') as is_proposed, bool_or(d.state = 'granted') as is_granted,
                   sum(d.minutes) as minutes
              from downtime_credits d
             where (d.state = 'proposed'
                    or d.state = 'granted' and d.settled_at > now() - make_interval(days => ${RECENT_CREDIT_DAYS}))
               and d.subscription_id in (${extendableSubscribers(filter)})
             group by d.subscription_id) c`,
  );
}

/** A subscriber's granted downtime credits, newest month first. */
export async function listGrantedCredits(handle: DatabaseHandle, subscriptionId: number) {
  return handle
    .select({
      id: downtimeCredits.id,
      month: downtimeCredits.month,
      minutes: downtimeCredits.minutes,
      settledAt: downtimeCredits.settledAt,
    })
    .from(downtimeCredits)
    .where(and(eq(downtimeCredits.subscriptionId, subscriptionId), eq(downtimeCredits.state, "granted")))
    .orderBy(desc(downtimeCredits.month));
}

export async function countCredits(
  handle: DatabaseHandle,
  { state }: { state?: DowntimeCreditState | undefined } = {},
): Promise<number> {
  return handle.$count(downtimeCredits, inState(state));
}

const inState = (state: DowntimeCreditState | undefined) =>
  state === undefined ? undefined : eq(downtimeCredits.state, state);
