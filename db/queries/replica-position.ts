import { sql } from "drizzle-orm";
import type { Handle } from "@/db/client";
import { bigNumber, columns, flag, number, text } from "./columns";

const IDENTITY = columns({ identity: text("(select system_identifier::text from pg_control_system())") });

/** Which cluster a server holds: a replica has the number of what it was copied from. */
export async function readClusterIdentity(handle: Handle): Promise<string> {
  return (await IDENTITY.one(handle, sql`select ${IDENTITY.list}`)).identity;
}

const WRITTEN = columns({ position: text("pg_current_wal_flush_lsn()::text") });

/** How far the journal of the database reaches that takes the writes: everything acknowledged stands before it. */
export async function readWrittenPosition(handle: Handle): Promise<string> {
  return (await WRITTEN.one(handle, sql`select ${WRITTEN.list}`)).position;
}

/** Whether a replica holds everything up to a position of the journal. */
export async function hasReplayed(handle: Handle, position: string): Promise<boolean> {
  const reached = columns({
    isThere: flag(
      sql`pg_is_in_recovery() and coalesce(pg_last_wal_replay_lsn() >= ${position}::pg_lsn, false)`,
    ),
  });
  return (await reached.one(handle, sql`select ${reached.list}`)).isThere;
}

/** How far a replica is behind a position of the journal. */
export async function readReplicaDistance(handle: Handle, position: string): Promise<ReplicaDistance> {
  const distance = columns({
    inRecovery: flag("pg_is_in_recovery()"),
    bytes: bigNumber(
      sql`greatest(0, coalesce(pg_wal_lsn_diff(${position}::pg_lsn, pg_last_wal_replay_lsn()), 0))::bigint`,
    ),
    secondsSinceReplayed: number<number | null>(
      "extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8",
    ),
  });
  return distance.one(handle, sql`select ${distance.list}`);
}

export interface ReplicaDistance {
  /** False for a server that takes writes itself: no replica, or one that was promoted. */
  inRecovery: boolean;
  bytes: number;
  /** Age of the newest transaction that it holds; null before the first one since its start. */
  secondsSinceReplayed: number | null;
}
