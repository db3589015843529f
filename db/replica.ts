/**
 * The replica that DATABASE_REPLICA_URL names: statistics, histories and public pages are read there, so that they take
 * nothing from the database that takes the writes. Who may come in, and how often, is never asked there.
 */

import { setTimeout as pause } from "node:timers/promises";
import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { env } from "@/lib/runtime/env";
import { processWide } from "@/lib/runtime/process-wide";
import { inEach } from "@/lib/runtime/processes";
import { SECOND_MS } from "@/lib/time";
import type { REPLICA_STATES } from "@/lib/vocabulary";
import { Breaker } from "./breaker";
import { connectionOptions, type Database, db, poolOptions } from "./client";
import { limited } from "./limited-client";
import {
  hasReplayed,
  readClusterIdentity,
  readReplicaDistance,
  readWrittenPosition,
} from "./queries/replica-position";
import * as schema from "./schema";

/** Longest wait for a replica that is behind by a moment. */
const PATIENCE_MS = 150;
/** After a failure it is left alone for so long. */
const REST_MS = 5 * SECOND_MS;

interface Replica {
  database: Database;
  client: postgres.Sql;
  /** Whether it is a copy of the database in force; asked once for each set of connections. */
  isCopy: Promise<boolean> | null;
}

/** What was read where, since the start. */
export interface ReplicaCounts {
  reads: number;
  /** Readings of the database itself, because the replica was behind. */
  behind: number;
  /** The same because it failed, or is no replica of this database. */
  failed: number;
}

const counts = () =>
  processWide("replica-counts", () => ({ reads: 0, behind: 0, failed: 0, restsUntilMs: 0 }));

const held = () => processWide<{ replica: Replica | null }>("replica", () => ({ replica: null }));

/** The connections to the replica, opened on first use, and anew after they fell silent. */
function openReplica(url: string): Replica {
  const holder = held();
  if (holder.replica) return holder.replica;
  const { statementMs, lockMs, ...limits } = poolOptions("statistics");
  const client = postgres(url, connectionOptions(limits.places, { statementMs, lockMs }));
  const breaker = new Breaker(async () => {
    await client`select 1`;
    return true;
  });
  const database = drizzle(
    limited(client, limits, breaker, () => void closeReplica()),
    { schema },
  );
  holder.replica = { database, client, isCopy: null };
  return holder.replica;
}

/**
 * Runs a reading at the replica when that holds everything that was committed before this call, else at the database
 * itself: nobody is shown less than what has been acknowledged. A reading that fails for the replica's own reasons is made
 * again at the database.
 */
export async function readAtReplica<T>(read: (database: Database) => Promise<T>): Promise<T> {
  const url = env().databaseReplicaUrl;
  if (url === null) return read(db("statistics"));
  const counted = counts();
  const there = await caughtUp(url);
  if (there === null) return read(db("statistics"));
  try {
    const value = await read(there.database);
    counted.reads++;
    return value;
  } catch (error) {
    if (!isItsOwn(error)) throw error;
    rest();
    return read(db("statistics"));
  }
}

/** The replica, when it holds what was committed before this call; null when it is behind or not to be had. */
async function caughtUp(url: string): Promise<Replica | null> {
  const counted = counts();
  if (performance.now() < counted.restsUntilMs) {
    counted.failed++;
    return null;
  }
  const found = openReplica(url);
  try {
    const position = await readWrittenPosition(db("reads"));
    const deadline = performance.now() + PATIENCE_MS;
    found.isCopy ??= isSameCluster(found.database);
    if (!(await found.isCopy)) {
      rest();
      return null;
    }
    for (let waitMs = 2; ; waitMs *= 2) {
      if (await hasReplayed(found.database, position)) return found;
      if (performance.now() + waitMs > deadline) break;
      await pause(waitMs);
    }
    counted.behind++;
  } catch {
    rest();
  }
  return null;
}

async function isSameCluster(database: Database): Promise<boolean> {
  const [own, its] = await Promise.all([readClusterIdentity(db("reads")), readClusterIdentity(database)]);
  return own === its;
}

/** Counts a failure, and lets the replica alone for a moment. */
function rest(): void {
  const counted = counts();
  counted.failed++;
  counted.restsUntilMs = performance.now() + REST_MS;
  const { replica } = held();
  if (replica) replica.isCopy = null;
}

/** A reading was ended because the replica had to go on replaying. */
const CONFLICT = "40001";
/** A statement took too long: at the database itself it would as well. */
const TIME_LIMIT = "57014";

/** Whether a reading failed for the replica's own reasons: anything that a database says but its limit of time. */
function isItsOwn(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (!("code" in current) || typeof current.code !== "string") continue;
    if (current.code === TIME_LIMIT) return false;
    if (current.code === CONFLICT || current instanceof postgres.PostgresError) return true;
    if (/^(CONNECT|E[A-Z]+$|DEADLINE$|POOL_BUSY$)/.test(current.code)) return true;
  }
  return false;
}

export interface ReplicaState extends ReplicaCounts {
  /** `apart`: it answers, but is no copy of this database that follows it. */
  state: (typeof REPLICA_STATES)[number];
  behindBytes: number | null;
  behindSeconds: number | null;
}

const countedIn = inEach("replica-counts", (): ReplicaCounts => {
  const { reads, behind, failed } = counts();
  return { reads, behind, failed };
});

const sumOf = (parts: ReplicaCounts[]) =>
  parts.reduce((a, b) => ({
    reads: a.reads + b.reads,
    behind: a.behind + b.behind,
    failed: a.failed + b.failed,
  }));

/** How the replica does; null where none is configured. */
export async function readReplicaState(): Promise<ReplicaState | null> {
  const url = env().databaseReplicaUrl;
  if (url === null) return null;
  const counted = sumOf(await countedIn());
  const position = await readWrittenPosition(db("reads"));
  try {
    const { database } = openReplica(url);
    const [isCopy, distance] = await Promise.all([
      isSameCluster(database),
      readReplicaDistance(database, position),
    ]);
    if (!isCopy || !distance.inRecovery)
      return { ...counted, state: "apart", behindBytes: null, behindSeconds: null };
    const behindSeconds = distance.bytes === 0 ? 0 : distance.secondsSinceReplayed;
    return { ...counted, state: "follows", behindBytes: distance.bytes, behindSeconds };
  } catch {
    return { ...counted, state: "silent", behindBytes: null, behindSeconds: null };
  }
}

/** Ends the connections to the replica; the next reading opens others. */
export async function closeReplica(): Promise<void> {
  const holder = held();
  const { replica } = holder;
  holder.replica = null;
  await replica?.client.end({ timeout: 2 }).catch(() => undefined);
}
