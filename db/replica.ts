/**
 * The read replica of DATABASE_REPLICA_URL, which relieves the primary of sums and lists. Access, limits and a
 * subscriber's own executions are never read there.
 */

import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { SECOND_MS } from "@/lib/time";
import type { READ_REPLICA_STATES } from "@/lib/vocabulary";
import { Breaker } from "./breaker";
import { connectionOptions, type Database, db, poolOptions } from "./client";
import { Pool } from "./pool";
import {
  readClusterIdentity,
  readPrimaryRevisions,
  readReplicaLag,
  readReplicaRevisions,
  readWalPosition,
} from "./queries/replica-state";
import * as schema from "./schema";

/** Time after a failure during which the replica is not used. */
const REST_MS = 5 * SECOND_MS;

/** Numbers of this process' calls of `readAtReplica` since its start. */
export interface ReplicaCounts {
  /** Reads that the replica answered. */
  reads: number;
  /** Reads at the primary because the replica was behind. */
  behind: number;
  /** Reads at the primary because the replica failed within the last five seconds or does not copy this database. */
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
 * Runs a read at the replica, or at the primary if no replica is configured or if the replica is behind or fails. A
 * statement timeout at the replica is thrown, because the primary would be too slow as well.
 *
 * The replica must have the same revisions of signals, outcomes, models and ledger as the primary, and must be less than
 * 15 seconds behind in everything else. So an answer cached under a revision is never older than that revision, and the
 * proofs of a checkpoint are available on the same server. A subscriber's newest writes may be missing at the replica, so
 * lists of them read the primary.
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

/**
 * The replica, if it may be used; null: it is behind, failed in the last five seconds, or does not copy this database.
 */
async function replicaInTime(url: string): Promise<Database | null> {
  const counted = counts();
  if (performance.now() < counted.restsUntilMs) {
    counted.failed++;
    return null;
  }
  const { database } = openReplica(url);
  // The primary first: read the other way round, a change in between would make the replica look behind. Outside the
  // `try`, because an error of the primary is no failure of the replica.
  const wanted = await readPrimaryRevisions(db());
  try {
    const there = await readReplicaRevisions(database);
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

/** Counts a failure and pauses the use of the replica for five seconds. */
function rest(): void {
  const counted = counts();
  counted.failed++;
  counted.restsUntilMs = performance.now() + REST_MS;
}

/** Error code of a statement timeout: the primary would be too slow as well. */
const TIME_LIMIT = "57014";

/**
 * Whether a read failed because of the server: an error of it except a statement timeout, or no connection or answer.
 */
function isItsOwn(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (!("code" in current) || typeof current.code !== "string") continue;
    if (current.code === TIME_LIMIT) return false;
    if (current instanceof postgres.PostgresError) return true;
    if (/^(CONNECT|E[A-Z]+$|DEADLINE$|POOL_BUSY$)/.test(current.code)) return true;
  }
  return false;
}

/** State of the read replica, for operators. */
export interface ReplicaState extends ReplicaCounts {
  /** `follows`: it copies this database; `apart`: it answers, but does not copy this database; `silent`: no answer. */
  state: (typeof READ_REPLICA_STATES)[number];
  /** Bytes of WAL, and seconds, by which the replica is behind the primary; null: unknown. */
  behindBytes: number | null;
  behindSeconds: number | null;
}

/** The read replica's state; null: none configured. */
export async function readReplicaState(): Promise<ReplicaState | null> {
  const url = env().databaseReplicaUrl;
  if (url === null) return null;
  const { reads, behind, failed } = counts();
  const counted = { reads, behind, failed, behindBytes: null, behindSeconds: null };
  const [own, position] = await Promise.all([readClusterIdentity(db()), readWalPosition(db())]);
  try {
    const { database } = openReplica(url);
    const [its, distance] = await Promise.all([
      readClusterIdentity(database),
      readReplicaLag(database, position),
    ]);
    if (its !== own || !distance.inRecovery) return { ...counted, state: "apart" };
    const behindSeconds = distance.bytes === 0 ? 0 : distance.secondsSinceReplayed;
    return { ...counted, state: "follows", behindBytes: distance.bytes, behindSeconds };
  } catch {
    return { ...counted, state: "silent" };
  }
}

/** Closes the connections to the replica; the next read opens new ones. */
export async function closeReplica(): Promise<void> {
  const holder = held();
  const { replica } = holder;
  holder.replica = null;
  await replica?.pool.end(2).catch(() => undefined);
}
