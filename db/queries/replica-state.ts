import { sql } from "drizzle-orm";
import type { DatabaseHandle } from "@/db/client";
import { boolean, columns, number, type Row, safeInteger, text } from "./columns";

const IDENTITY = columns({ identity: text("(select system_identifier::text from pg_control_system())") });

/** Identifier of the server's database cluster. A replica has the same identifier as its primary. */
export async function readClusterIdentity(handle: DatabaseHandle): Promise<string> {
  return (await IDENTITY.one(handle, sql`select ${IDENTITY.list}`)).identity;
}

const WRITTEN = columns({ position: text("pg_current_wal_flush_lsn()::text") });

/**
 * WAL position up to which the primary has flushed. Every commit acknowledged with `synchronous_commit` on is before
 * it.
 */
export async function readWalPosition(handle: DatabaseHandle): Promise<string> {
  return (await WRITTEN.one(handle, sql`select ${WRITTEN.list}`)).position;
}

/** SQL: the revisions of signals, models, outcomes and ledger as one text, for comparison. */
const REVISIONS = text(`(
  select concat_ws('/', v.signals, v.models, v.outcomes, v.last_seq, l.size, (select max(size) from ledger_checkpoints))
    from state_versions v, ledger_state l)`);
const SHARED_REVISION = columns({
  identity: text("(select system_identifier::text from pg_control_system())"),
  mark: REVISIONS,
});

/** The primary's cluster identifier, and the revisions of its shared state. */
export async function readPrimaryRevisions(handle: DatabaseHandle): Promise<Row<typeof SHARED_REVISION>> {
  return SHARED_REVISION.one(handle, sql`select ${SHARED_REVISION.list}`);
}

/** A replica is current if its newest commit is younger than this. The worker records a run of its job `probe` every 10 s. */
const RECENT_SECONDS = 15;
const REPLICA_REVISION = columns({
  inRecovery: boolean("pg_is_in_recovery()"),
  isRecent: boolean(`coalesce(
    clock_timestamp() - pg_last_xact_replay_timestamp() < make_interval(secs => ${RECENT_SECONDS}), false)`),
  identity: text("(select system_identifier::text from pg_control_system())"),
  mark: REVISIONS,
});

/** The replica's cluster identifier and revisions, and whether its newest commit is younger than 15 seconds. */
export async function readReplicaRevisions(handle: DatabaseHandle): Promise<Row<typeof REPLICA_REVISION>> {
  return REPLICA_REVISION.one(handle, sql`select ${REPLICA_REVISION.list}`);
}

/** How far a replica is behind a WAL position. */
export async function readReplicaLag(handle: DatabaseHandle, position: string): Promise<ReplicaLag> {
  const distance = columns({
    inRecovery: boolean("pg_is_in_recovery()"),
    bytes: safeInteger(
      sql`greatest(0, coalesce(pg_wal_lsn_diff(${position}::pg_lsn, pg_last_wal_replay_lsn()), 0))::bigint`,
    ),
    secondsSinceReplayed: number<number | null>(
      "extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8",
    ),
  });
  return distance.one(handle, sql`select ${distance.list}`);
}

export interface ReplicaLag {
  /** False for a server that accepts writes: not a replica, or a promoted one. */
  inRecovery: boolean;
  bytes: number;
  /** Age of the newest replayed transaction; null: none since the replica's start. */
  secondsSinceReplayed: number | null;
}
