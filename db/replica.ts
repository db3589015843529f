/**
 * The replica that DATABASE_REPLICA_URL names. Sums and lists are read there, so that they take nothing from the database
 * that takes the writes. Access, limits and a subscriber's own executions are never read there.
 */

import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { SECOND_MS } from "@/lib/time";
import type { REPLICA_STATES } from "@/lib/vocabulary";
import { Breaker } from "./breaker";
import { connectionOptions, type Database, db, poolOptions } from "./client";
import { Pool } from "./pool";
import {
  readClusterIdentity,
  readReplicaDistance,
  readReplicaRevision,
  readSharedRevision,
  readWrittenPosition,
} from "./queries/replica-state";
import * as schema from "./schema";

/** No reading tries the replica for this long after a failure. */
const REST_MS = 5 * SECOND_MS;

/** Readings since the start of the process, by where they were made. */
export interface ReplicaCounts {
  reads: number;
  /** Readings of the database itself because the replica was behind. */
  behind: number;
  /** The same because the replica failed or copies another database. */
  failed: number;
}

interface Replica {
  database: Database;
  pool: Pool;
}

const counts = () =>
  processWide("replica-counts", () => ({ reads: 0, behind: 0, failed: 0, restsUntilMs: 0 }));

const held = () => processWide<{ replica: Replica | null }>("replica", () => ({ replica: null }));

function openReplica(url: string): Replica {
  const holder = held();
  if (holder.replica) return holder.replica;
  const { statementMs, lockMs, ...options } = poolOptions("heavy");
  const open = () => postgres(url, connectionOptions(options.max, { statementMs, lockMs }));
  const breaker = new Breaker(
    async () => {
      const client = postgres(url, connectionOptions(1));
      await client`select 1`.finally(() => void client.end({ timeout: 0 }).catch(() => undefined));
    },
    () => pool.replace(),
  );
  const pool = new Pool(options, breaker, open);
  holder.replica = { database: drizzle(pool.client, { schema }), pool };
  return holder.replica;
}

/**
 * Runs a reading at the replica, and at the database when the replica is behind or fails.
 *
 * The replica must hold the same revisions of signals, outcomes, models and ledger as the database, and must not be more
 * than some seconds behind in everything else. So an answer that is kept under a revision is never older than it, and a
 * checkpoint's proofs are where the checkpoint was read. What a subscriber has just written is not part of that: those
 * lists read the database.
 */
export async function readAtReplica<T>(read: (database: Database) => Promise<T>): Promise<T> {
  const url = env().databaseReplicaUrl;
  const replica = url === null ? null : await replicaInTime(url);
  if (replica === null) return read(db("heavy"));
  try {
    const value = await read(replica);
    counts().reads++;
    return value;
  } catch (error) {
    if (!isItsOwn(error)) throw error;
    rest();
    return read(db("heavy"));
  }
}

/** The replica, or null when it is behind, failed lately, or copies another database. */
async function replicaInTime(url: string): Promise<Database | null> {
  const counted = counts();
  if (performance.now() < counted.restsUntilMs) {
    counted.failed++;
    return null;
  }
  const { database } = openReplica(url);
  try {
    // In this order: what the database has later may be missing there.
    const wanted = await readSharedRevision(db());
    const there = await readReplicaRevision(database);
    if (there.inRecovery && there.identity === wanted.identity) {
      if (there.isRecent && there.mark === wanted.mark) return database;
      counted.behind++;
      return null;
    }
  } catch (error) {
    if (!isItsOwn(error)) throw error;
  }
  rest();
  return null;
}

/** Counts a failure and leaves the replica alone for a while. */
function rest(): void {
  const counted = counts();
  counted.failed++;
  counted.restsUntilMs = performance.now() + REST_MS;
}

/** A statement took too long; at the database it would as well. */
const TIME_LIMIT = "57014";

/** Whether a reading failed for the replica's own reasons: any answer of a server but its time limit, and any lost connection. */
function isItsOwn(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (!("code" in current) || typeof current.code !== "string") continue;
    if (current.code === TIME_LIMIT) return false;
    if (current instanceof postgres.PostgresError) return true;
    if (/^(CONNECT|E[A-Z]+$|DEADLINE$|POOL_BUSY$)/.test(current.code)) return true;
  }
  return false;
}

export interface ReplicaState extends ReplicaCounts {
  /** `apart`: it answers, but does not copy this database. */
  state: (typeof REPLICA_STATES)[number];
  behindBytes: number | null;
  behindSeconds: number | null;
}

/** The replica's state for operators; null where none is configured. */
export async function readReplicaState(): Promise<ReplicaState | null> {
  const url = env().databaseReplicaUrl;
  if (url === null) return null;
  const { reads, behind, failed } = counts();
  const counted = { reads, behind, failed, behindBytes: null, behindSeconds: null };
  const [own, position] = await Promise.all([readClusterIdentity(db()), readWrittenPosition(db())]);
  try {
    const { database } = openReplica(url);
    const [its, distance] = await Promise.all([
      readClusterIdentity(database),
      readReplicaDistance(database, position),
    ]);
    if (its !== own || !distance.inRecovery) return { ...counted, state: "apart" };
    const behindSeconds = distance.bytes === 0 ? 0 : distance.secondsSinceReplayed;
    return { ...counted, state: "follows", behindBytes: distance.bytes, behindSeconds };
  } catch {
    return { ...counted, state: "silent" };
  }
}

/** Ends the connections to the replica; the next reading opens others. */
export async function closeReplica(): Promise<void> {
  const holder = held();
  const { replica } = holder;
  holder.replica = null;
  await replica?.pool.end(2).catch(() => undefined);
}
