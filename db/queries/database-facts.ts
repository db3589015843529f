import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { epochMs, toInstantOrNull } from "./instants";

export type DirectionCounts = { BUY: number; SELL: number; NO_TRADE: number };

/** How many signals of each direction the candles that closed in the last `hours` brought, over all slots. */
export async function countDirections(handle: Handle, hours: number): Promise<DirectionCounts> {
  const rows = await handle.execute<{ signal: keyof DirectionCounts; n: number }>(sql`
    select signal, count(*)::int as n from signals
     where closes_at > now() - make_interval(hours => ${hours}) group by signal`);
  const counts: DirectionCounts = { BUY: 0, SELL: 0, NO_TRADE: 0 };
  for (const { signal, n } of rows) counts[signal] = n;
  return counts;
}

export interface MailCounts {
  pending: number;
  dead: number;
  sent24h: number;
  oldestPendingAt: Date | null;
}

/** The mail queue. Each figure is a stretch of an index. */
export async function countMailQueue(handle: Handle): Promise<MailCounts> {
  const [row] = await handle.execute<{
    pending: number;
    dead: number;
    sent: number;
    oldest_ms: string | null;
  }>(sql`
    select (select count(*)::int from mail_outbox where status = 'pending') as pending,
           (select count(*)::int from mail_outbox where status = 'dead') as dead,
           (select count(*)::int from mail_outbox where status = 'sent' and created_at > now() - interval '24 hours') as sent,
           (select ${epochMs("min(created_at)")} from mail_outbox where status = 'pending') as oldest_ms`);
  return {
    pending: row?.pending ?? 0,
    dead: row?.dead ?? 0,
    sent24h: row?.sent ?? 0,
    oldestPendingAt: toInstantOrNull(row?.oldest_ms ?? null),
  };
}

export interface PaymentCounts {
  /** Deliveries received since midnight UTC, by action. */
  today: Record<string, number>;
  /** Deliveries of the last 30 days with a flag that nobody has looked at. */
  flagged: number;
  lastReceivedAt: Date | null;
}

/** What the payment platform delivered today, and what waits for a look. */
export async function countPayments(handle: Handle): Promise<PaymentCounts> {
  const [actions, [other]] = await Promise.all([
    handle.execute<{ action: string; n: number }>(sql`
      select action, count(*)::int as n from payment_deliveries
       where received_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' group by action`),
    handle.execute<{ flagged: number; last_ms: string | null }>(sql`
      select (select count(*)::int from payment_deliveries
               where flags <> '{}' and reviewed_at is null and received_at > now() - interval '30 days') as flagged,
             (select ${epochMs("received_at")} from payment_deliveries
               order by received_at desc limit 1) as last_ms`),
  ]);
  return {
    today: Object.fromEntries(actions.map(({ action, n }) => [action, n])),
    flagged: other?.flagged ?? 0,
    lastReceivedAt: toInstantOrNull(other?.last_ms ?? null),
  };
}

export interface DatabaseFacts {
  version: string;
  sizeBytes: number;
  connections: number;
  maxConnections: number;
  lastProbeAt: Date | null;
}

/** State of the database itself, and the minute of the newest probe. */
export async function readDatabaseFacts(handle: Handle): Promise<DatabaseFacts> {
  const [row] = await handle.execute<{
    version: string;
    size: string;
    connections: number;
    max: number;
    probe_ms: string | null;
  }>(sql`
    select current_setting('server_version') as version, pg_database_size(current_database()) as size,
           (select count(*)::int from pg_stat_activity where datname = current_database()) as connections,
           current_setting('max_connections')::int as max,
           (select ${epochMs("max(minute)")} from health_probes) as probe_ms`);
  if (!row) throw new Error("the database told nothing of itself");
  return {
    version: row.version,
    sizeBytes: Number(row.size),
    connections: row.connections,
    maxConnections: row.max,
    lastProbeAt: toInstantOrNull(row.probe_ms),
  };
}
