import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { DAY_MS, startOfUtcDay } from "@/lib/time";
import type { SignalFetchWay } from "@/lib/vocabulary";
import { columns, json, number, text, timestampMs } from "./columns";

/**
 * The signals that one response to a subscription covers. A process skips a response that covers the same signals as
 * its last one of this kind to the subscription.
 */
export interface SignalFetchAdvance {
  way: SignalFetchWay;
  /** The slot whose history was requested; 0: every slot in scope. */
  slotId: number;
  /** Minimum confidence: signals of lower confidence were left out of the response. */
  minConfidence: number;
  /** `seq` of the newest signal in scope that the response covers. */
  upTo: number;
  /** Number of newest signals per slot, up to `upTo`, that the response covers; for a stream, number of `seq` values. */
  reach: number;
  /** Time of the response, in epoch milliseconds. */
  atMs: number;
}

export interface SubscriptionSignalFetchAdvance extends SignalFetchAdvance {
  subscriptionId: number;
}

interface DayOfAdvances {
  subscription_id: number;
  /** Days since 1970. */
  day: number;
  way: SignalFetchWay;
  slot_id: number;
  min_confidence: number;
  up_to: number[];
  reach: number[];
  /** Milliseconds since the start of the day. */
  at_ms: number[];
}

/**
 * Adds advances to the rows of their UTC days, in one statement. The rows are sorted, so that two replicas never deadlock.
 * The only advance for a row is skipped if the row's last one has the same `upTo`, at least its `reach` and no later time:
 * then another replica has stored it.
 */
export async function recordSignalFetchAdvances(
  handle: DatabaseHandle,
  advances: readonly SubscriptionSignalFetchAdvance[],
): Promise<void> {
  const days = new Map<string, DayOfAdvances>();
  for (const { subscriptionId, way, slotId, minConfidence, upTo, reach, atMs } of advances) {
    const day = Math.floor(atMs / DAY_MS);
    const id = `${subscriptionId}|${day}|${way}|${slotId}|${minConfidence}`;
    const row = days.get(id) ?? {
      subscription_id: subscriptionId,
      day,
      way,
      slot_id: slotId,
      min_confidence: minConfidence,
      up_to: [],
      reach: [],
      at_ms: [],
    };
    row.up_to.push(upTo);
    row.reach.push(reach);
    row.at_ms.push(atMs - day * DAY_MS);
    days.set(id, row);
  }
  await handle.execute(sql`
    insert into fetch_days as f (subscription_id, day, way, slot_id, min_confidence, up_to, reach, at_ms)
    select t.subscription_id, date '1970-01-01' + t.day, t.way, t.slot_id, t.min_confidence, t.up_to, t.reach, t.at_ms
      from jsonb_to_recordset(${JSON.stringify([...days.values()])}::jsonb)
      as t(subscription_id int, day int, way text, slot_id int, min_confidence float8, up_to bigint[], reach int[], at_ms int[])
      join subscriptions s on s.id = t.subscription_id
     order by subscription_id, day, way, slot_id, min_confidence
    on conflict (subscription_id, day, way, slot_id, min_confidence) do update set
      up_to = f.up_to || excluded.up_to, reach = f.reach || excluded.reach, at_ms = f.at_ms || excluded.at_ms
    where cardinality(excluded.up_to) > 1
       or f.up_to[cardinality(f.up_to)] <> excluded.up_to[1]
       or f.reach[cardinality(f.reach)] < excluded.reach[1]
       or f.at_ms[cardinality(f.at_ms)] > excluded.at_ms[1]`);
}

const DAY = columns({
  dayMs: timestampMs("day"),
  way: text<SignalFetchWay>("way"),
  slotId: number("slot_id"),
  minConfidence: number("min_confidence"),
  upTo: json<number[]>("to_jsonb(up_to)"),
  reach: json<number[]>("to_jsonb(reach)"),
  atMs: json<number[]>("to_jsonb(at_ms)"),
});

/** A subscription's advances since the start of the UTC day of `since`, unordered. Reads one range of an index. */
export async function listSignalFetchAdvances(
  handle: DatabaseHandle,
  subscriptionId: number,
  since: Date,
): Promise<SignalFetchAdvance[]> {
  const day = startOfUtcDay(since).toISOString().slice(0, 10);
  const days = await DAY.all(
    handle,
    sql`select ${DAY.list} from fetch_days where subscription_id = ${subscriptionId} and day >= ${day}::date`,
  );
  return days.flatMap(({ dayMs, upTo, reach, atMs, ...way }) =>
    upTo.map((seq, i) => ({ ...way, upTo: seq, reach: reach[i] ?? 0, atMs: dayMs + (atMs[i] ?? 0) })),
  );
}

const SINCE = columns({ sinceMs: timestampMs("(value #>> '{}')::timestamptz") });

/** When this installation began to record fetches, in epoch milliseconds; infinity: not yet. */
export async function readSignalFetchRecordingStart(handle: DatabaseHandle): Promise<number> {
  const row = await SINCE.first(handle, sql`select ${SINCE.list} from settings where name = 'fetches_since'`);
  return row?.sinceMs ?? Number.POSITIVE_INFINITY;
}
