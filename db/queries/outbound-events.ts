import { sql } from "drizzle-orm";
import type { DatabaseHandle, Transaction } from "@/db/client";
import type { CalendarName, Direction, ExitReason, PlanTier, Timeframe } from "@/lib/vocabulary";
import { boolean, columns, number, type Row, safeInteger, text, timestamp } from "./columns";
import { expirySetAt, isInForce, keyColumnsAs, planInForce } from "./key-state";
import { array } from "./parameters";
import { IS_PAUSED_SLOT, WAS_CREATED_IN_PAUSE } from "./pauses";
import { IS_LIVE_SIGNAL, NAMED_SIGNAL_COLUMNS } from "./signals";

const PUBLISHED_SIGNAL = columns({
  seq: safeInteger("g.seq"),
  predId: safeInteger("g.id"),
  slotId: number("g.slot_id"),
  closesAt: timestamp("g.closes_at"),
  calendar: text<CalendarName>("y.calendar"),
  digits: number("y.digits"),
  isWithheld: boolean(sql`${IS_PAUSED_SLOT} or ${WAS_CREATED_IN_PAUSE}`),
  ...NAMED_SIGNAL_COLUMNS,
});
export type PublishedSignal = Row<typeof PUBLISHED_SIGNAL>;

/**
 * The first `limit` live signals with a sequence number above `after`, at most `upTo`, that are at most `hours` old, in
 * commit order. Of these, signals of paused slots and signals created during a pause are left out, so fewer may be
 * returned. The returned `upTo` is the sequence number up to which the list is complete.
 */
export async function listSignalsToPublish(
  handle: DatabaseHandle,
  { after, upTo, limit, hours }: { after: number; upTo: number; limit: number; hours: number },
): Promise<{ signals: PublishedSignal[]; upTo: number }> {
  // Searches backwards for the newest signal that is too old and reads from there, so that a cursor which is a month
  // behind costs no more.
  const rows = await PUBLISHED_SIGNAL.all(
    handle,
    sql`
    select ${PUBLISHED_SIGNAL.list}
      from (select * from signals g
             where seq > greatest(${after}, coalesce((
                     select old.seq from signals old
                      where old.seq <= ${upTo} and old.created_at <= now() - make_interval(hours => ${hours})
                      order by old.seq desc limit 1), 0))
               and seq <= ${upTo} and ${IS_LIVE_SIGNAL}
             order by seq limit ${limit}) g
      join slots s on s.id = g.slot_id
      join symbols y on y.symbol = s.symbol
     order by g.seq`,
  );
  const isWhole = rows.length < limit;
  return {
    signals: rows.filter(({ isWithheld }) => !isWithheld),
    upTo: isWhole ? upTo : (rows.at(-1)?.seq ?? upTo),
  };
}

/** Sequence number of the signal that was committed last; 0: none. */
export async function readLastSeq(handle: DatabaseHandle): Promise<number> {
  const [row] = await handle.execute<{ seq: string }>(sql`select last_seq as seq from state_versions`);
  return Number(row?.seq ?? 0);
}

/**
 * Adds the live signals committed since the last call to the pending results, the list of signals whose result is to be
 * announced. Locks the row of the cursor `results` until commit.
 */
export async function addPendingResults(tx: Transaction): Promise<void> {
  await tx.execute(sql`
    with place as (
      select c.seq, v.last_seq from outbound_cursors c, state_versions v where c.name = 'results' for update of c
    ), moved as (
      update outbound_cursors c set seq = p.last_seq from place p where c.name = 'results' and c.seq <> p.last_seq
    )
    insert into pending_result_events (signal_id)
    select g.id from place p join signals g on g.seq > p.seq and g.seq <= p.last_seq where ${IS_LIVE_SIGNAL}
    on conflict do nothing`);
}

const RESULT = columns({
  seq: safeInteger("g.seq"),
  predId: safeInteger("g.id"),
  slotId: number("g.slot_id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  ts: timestamp("g.ts"),
  modelV: text("g.model_v"),
  signal: text<Direction>("g.signal"),
  label: text<Direction>("o.label"),
  entryPrice: number("o.entry_price"),
  exitPrice: number<number | null>("o.exit_price"),
  exitReason: text<ExitReason | null>("o.exit_reason"),
  resultR: number<number | null>("o.result_r"),
  endedAt: timestamp("o.ended_at"),
});
export type PublishedResult = Row<typeof RESULT>;

/** Removes up to `limit` signals with an outcome from the list of pending results and returns their results, oldest first. */
export async function takePendingResults(tx: Transaction, limit: number): Promise<PublishedResult[]> {
  return RESULT.all(
    tx,
    sql`
    with known as (
      delete from pending_result_events u
       where u.signal_id in (
         select w.signal_id from pending_result_events w join outcomes o on o.signal_id = w.signal_id
          order by w.signal_id limit ${limit})
      returning u.signal_id)
    select ${RESULT.list}
      from known k
      join signals g on g.id = k.signal_id
      join outcomes o on o.signal_id = k.signal_id
      join slots s on s.id = g.slot_id
     order by g.seq`,
  );
}

/** Removes from the pending results the signals that have no outcome and no longer wait for one. */
export async function deleteUnresolvableResults(tx: Transaction): Promise<void> {
  await tx.execute(sql`
    delete from pending_result_events u
     where not exists (select 1 from open_outcomes o where o.signal_id = u.signal_id)
       and not exists (select 1 from outcomes o where o.signal_id = u.signal_id)`);
}

const CHANGE = columns({
  slotId: number("s.id"),
  symbol: text("s.symbol"),
  timeframe: text<Timeframe>("s.timeframe"),
  modelV: text("m.model_v"),
  championSince: timestamp("coalesce(m.champion_since, m.created_at)"),
});
export type PublishedChampion = Row<typeof CHANGE>;

/** Slots whose champion is not the last announced one, with that champion. Records these champions as announced. */
export async function takeChampionChanges(tx: Transaction): Promise<PublishedChampion[]> {
  return CHANGE.all(
    tx,
    sql`
    with announced as (
      insert into announced_champions as t (slot_id, model_v)
      select m.slot_id, m.model_v from models m where m.is_active
      on conflict (slot_id) do update set model_v = excluded.model_v where t.model_v <> excluded.model_v
      returning t.slot_id)
    select ${CHANGE.list}
      from announced t
      join models m on m.slot_id = t.slot_id and m.is_active
      join slots s on s.id = m.slot_id
     order by s.id`,
  );
}

const ENDING = columns({
  keyId: number("k.id"),
  subscriptionId: number("k.subscription_id"),
  planTier: text<PlanTier>(planInForce(keyColumnsAs("k"))),
  hint: text("k.hint"),
  expiresAt: timestamp("k.expires_at"),
  expirySetAt: timestamp(expirySetAt({ id: sql.raw("k.id"), createdAt: sql.raw("k.created_at") })),
});
export type EndingKey = Row<typeof ENDING>;

/** Working keys that expire within `days`, of subscriptions with an active endpoint and no key that lasts longer. */
export async function listEndingKeysWithEndpoints(
  handle: DatabaseHandle,
  days: number,
): Promise<EndingKey[]> {
  return ENDING.all(
    handle,
    sql`
    select ${ENDING.list}
      from api_keys k
     where ${isInForce(keyColumnsAs("k"))} and k.expires_at <= now() + make_interval(days => ${days})
       and exists (select 1 from webhook_endpoints e where e.subscription_id = k.subscription_id and e.state = 'active')
       and not exists (
         select 1 from api_keys longer
          where longer.subscription_id = k.subscription_id and ${isInForce(keyColumnsAs("longer"))}
            and (longer.expires_at is null or longer.expires_at > k.expires_at))`,
  );
}

export interface NewWebhookDelivery {
  endpointId: number;
  event: string;
  subject: string;
  slotId: number | null;
  body: string;
}

/** Queues webhook deliveries, each event once per endpoint, and wakes the job that sends them. Returns how many are new. */
export async function insertWebhookDeliveries(
  handle: DatabaseHandle,
  rows: readonly NewWebhookDelivery[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const [result] = await handle.execute<{ n: number }>(sql`
    with fresh as (
      insert into webhook_deliveries (endpoint_id, event, subject, slot_id, body)
      select t.endpoint_id, t.event, t.subject, t.slot_id, t.body
        from unnest(${array(
          rows.map((row) => row.endpointId),
          "int",
        )}, ${array(
          rows.map((row) => row.event),
          "text",
        )}, ${array(
          rows.map((row) => row.subject),
          "text",
        )}, ${array(
          rows.map((row) => row.slotId),
          "int",
        )}, ${array(
          rows.map((row) => row.body),
          "text",
        )}) with ordinality as t(endpoint_id, event, subject, slot_id, body, place)
       order by t.place
      on conflict (endpoint_id, event, subject) do nothing
      returning endpoint_id
    ), called as (
      -- Also rows where it is set already: endEndpointLease then waits for this transaction and sees its deliveries.
      update webhook_endpoints e set next_attempt_at = coalesce(e.next_attempt_at, clock_timestamp())
       where e.id in (select endpoint_id from fresh)
    )
    select count(*)::int as n, pg_notify('worker', 'webhooks') from fresh`);
  return result?.n ?? 0;
}
