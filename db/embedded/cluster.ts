/**
 * PostgreSQL's own binaries, run as a child of this project: the default when DATABASE_URL is not set.
 * The cluster lives under DATA_DIR, listens on loopback with a generated password, survives kill -9 and is
 * reused when it is still running.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes, randomInt } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import { MINUTE_MS } from "@/lib/time";
import { type Cluster, clusterFile, clusterUrl, readCluster } from "./address";
import { type Binaries, findBinaries } from "./binaries";
import { isAlive, withFileLock } from "./file-lock";
import { isReachableByOthers, unprivilegedIdentity } from "./unprivileged-user";
import { leaveToOthers, noteUser } from "./users";

const START_DEADLINE_MS = MINUTE_MS;
/** PostgreSQL refuses to start while the last processes of a killed server still hold its memory. */
const REFUSAL_MS = 10_000;

export interface EmbeddedDatabase {
  url: string;
  /** True when this call started the server; false when it found one running. */
  started: boolean;
  /** Stops the server cleanly (open transactions are rolled back) and waits for its end. */
  stop(): Promise<void>;
  /** Stops it unless another process that started or found it still runs: the last one out turns off the light. */
  leave(): Promise<void>;
}

/** The record appears whole or not at all: on a full disk half of one would lock the cluster for good. */
function writeCluster(dataDir: string, cluster: Cluster): void {
  const draft = `${clusterFile(dataDir)}.draft`;
  writeFileSync(draft, `${JSON.stringify(cluster, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, clusterFile(dataDir));
}

/** Whether the server of the cluster under `dataDir` is gone. Where there is no cluster, nothing is. */
export function isEmbeddedDatabaseDown(dataDir: string): boolean {
  const cluster = readCluster(dataDir);
  return cluster !== null && isMade(cluster.dataDir) && livePostmaster(cluster) === null;
}

const isMade = (directory: string) => existsSync(join(directory, "PG_VERSION"));

/** Starts (or finds) the embedded database. Throws when no PostgreSQL binaries can be had on this machine. */
export async function startEmbeddedDatabase(dataDir: string, connections = 100): Promise<EmbeddedDatabase> {
  mkdirSync(dataDir, { recursive: true });
  // Two starts at once would make the cluster twice, one over the other; and nobody may come while the last one leaves.
  const alone = <T>(work: () => Promise<T>) =>
    withFileLock(join(dataDir, "postgres.lock"), START_DEADLINE_MS, work);
  return alone(async () => {
    const found = await startOrFind(dataDir, connections);
    noteUser(dataDir);
    return {
      ...found,
      leave: () =>
        alone(async () => {
          if (!leaveToOthers(dataDir)) await found.stop();
        }),
    };
  });
}

async function startOrFind(dataDir: string, connections: number): Promise<Omit<EmbeddedDatabase, "leave">> {
  const deadline = Date.now() + START_DEADLINE_MS;
  let cluster = readCluster(dataDir);

  // Nobody there, or someone on his way out: then a server of our own is started.
  if (cluster && livePostmaster(cluster) !== null && (await answers(cluster, deadline))) {
    return { url: clusterUrl(cluster, "signals"), started: false, stop: stopper(dataDir) };
  }

  const binaries = findBinaries(dataDir);
  if (!cluster || !isMade(cluster.dataDir)) cluster = createCluster(dataDir, binaries);
  if (!(await portIsFree(cluster.port))) {
    cluster = { ...cluster, port: await freePort() };
    writeCluster(dataDir, cluster);
  }

  let child = launch(binaries, cluster, connections);
  const giveUpAt = Date.now() + REFUSAL_MS;
  while (!(await answers(cluster, Date.now() + 1_000))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      // Another process may have won the race for the same cluster.
      if (livePostmaster(cluster) !== null && (await answers(cluster, deadline))) break;
      if (Date.now() > giveUpAt)
        throw new Error(`The embedded database did not start; see ${join(dataDir, "postgres.log")}`);
      await pause(250);
      child = launch(binaries, cluster, connections);
    }
    if (Date.now() > deadline) throw new Error("The embedded database did not answer within a minute");
    await pause(25);
  }
  child.unref();
  await ensureDatabase(cluster);
  return { url: clusterUrl(cluster, "signals"), started: true, stop: stopper(dataDir) };
}

/**
 * Makes a cluster beside its place and puts it there when it is complete. One that is there already is never touched:
 * whose record is lost has lost the password, not the data.
 */
function createCluster(dataDir: string, binaries: Binaries): Cluster {
  const directory = clusterDirectory(dataDir);
  if (isMade(directory))
    throw new Error(`${clusterFile(dataDir)} cannot be read; restore it, or move ${directory} away`);
  const password = randomBytes(18).toString("base64url");
  const unfinished = `${directory}.unfinished`;
  for (const left of [directory, unfinished]) rmSync(left, { recursive: true, force: true });
  if (directory.startsWith(OUTSIDE)) makePassable(dirname(directory));
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  const identity = unprivilegedIdentity();
  const passwordFile = join(dirname(directory), `.password-${process.pid}`);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (identity) {
    chownSync(unfinished, identity.uid, identity.gid);
    chownSync(passwordFile, identity.uid, identity.gid);
  }
  try {
    execFileSync(
      join(binaries.bin, "initdb"),
      [
        "-D",
        unfinished,
        "-U",
        "postgres",
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "-E",
        "UTF8",
        "--locale=C",
      ],
      { stdio: "pipe", cwd: unfinished, env: environment(), ...identity },
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
  // Port 0 is never free: the caller picks one.
  const cluster = { dataDir: directory, port: 0, password };
  writeCluster(dataDir, cluster);
  renameSync(unfinished, directory);
  return cluster;
}

function launch(binaries: Binaries, cluster: Cluster, connections: number): ChildProcess {
  const log = openSync(join(dirname(cluster.dataDir), "postgres.log"), "a", 0o600);
  const settings = {
    port: cluster.port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: connections,
    shared_buffers: "256MB",
    timezone: "UTC",
    jit: "off",
    // Who uses it starts it again after a crash: PostgreSQL's own restart can hang where the disk is full (decision 339).
    restart_after_crash: "off",
    // Statements and their values never reach a log file: they hold addresses and hashes.
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    log_timezone: "UTC",
  };
  const child = spawn(
    join(binaries.bin, "postgres"),
    [
      "-D",
      cluster.dataDir,
      ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    // A session of its own: Ctrl-C in the terminal must not stop the database before the server.
    {
      stdio: ["ignore", log, log],
      detached: true,
      cwd: cluster.dataDir,
      env: environment(),
      ...unprivilegedIdentity(),
    },
  );
  closeSync(log);
  child.on("error", () => undefined);
  return child;
}

/** What PostgreSQL needs of our environment. Our secrets stand in the rest, and its process belongs to another user. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_ENV, PATH, LD_LIBRARY_PATH, SystemRoot, TEMP } = process.env;
  return { NODE_ENV, PATH, LD_LIBRARY_PATH, SystemRoot, TEMP, TZ: "UTC" };
}

/** Whether the cluster answers before the deadline. One whose server is not there, or not any more, will not. */
async function answers(cluster: Cluster, deadline: number): Promise<boolean> {
  const sql = postgres(clusterUrl(cluster, "postgres"), {
    max: 1,
    connect_timeout: 2,
    onnotice: () => undefined,
  });
  try {
    do {
      try {
        await sql`select 1`;
        return true;
      } catch {
        await pause(25);
      }
    } while (Date.now() < deadline && livePostmaster(cluster) !== null);
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function ensureDatabase(cluster: Cluster): Promise<void> {
  const sql = postgres(clusterUrl(cluster, "postgres"), { max: 1, onnotice: () => undefined });
  try {
    const found = await sql`select 1 from pg_database where datname = 'signals'`;
    if (found.length === 0) await sql`create database signals`;
  } catch (error) {
    // 42P04: another process created it in between.
    if (!(error instanceof postgres.PostgresError && error.code === "42P04")) throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function stopper(dataDir: string): () => Promise<void> {
  return async () => {
    // Read again: it may have been started anew since, at another port.
    const cluster = readCluster(dataDir);
    const pid = cluster && livePostmaster(cluster);
    if (pid === null) return;
    // SIGINT is PostgreSQL's fast shutdown: connections are ended, everything committed is on disk.
    process.kill(pid, "SIGINT");
    const deadline = Date.now() + 15_000;
    while (isAlive(pid) && Date.now() < deadline) await pause(20);
  };
}

/** Process id of the running postmaster of this cluster, or null. */
function livePostmaster(cluster: Cluster): number | null {
  try {
    const [pid, , , port] = readFileSync(join(cluster.dataDir, "postmaster.pid"), "utf8").split("\n");
    if (Number(port) !== cluster.port) return null;
    return isPostmaster(Number(pid), cluster.dataDir) ? Number(pid) : null;
  } catch {
    return null;
  }
}

/** After a crash the number in the file may belong to any process by now; Linux tells what it is. */
function isPostmaster(pid: number, dataDir: string): boolean {
  if (!isAlive(pid)) return false;
  if (!existsSync("/proc/self/cmdline")) return true;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(dataDir);
  } catch {
    return false;
  }
}

/** Where the clusters go whose data directory an unprivileged user cannot enter. */
const OUTSIDE = "/var/lib/signal-delivery-service";

/** The folders down to here, made so that PostgreSQL's user can pass through them whatever this process's umask is. */
function makePassable(folder: string): void {
  for (const part of [OUTSIDE, folder]) {
    mkdirSync(part, { recursive: true });
    chmodSync(part, 0o711);
  }
}

/** Where the cluster's files go: under `dataDir`, or, when an unprivileged user cannot get there, outside it. */
function clusterDirectory(dataDir: string): string {
  if (!unprivilegedIdentity() || isReachableByOthers(dataDir)) return join(dataDir, "postgres");
  const name = createHash("sha256").update(resolve(dataDir)).digest("hex").slice(0, 16);
  return join(OUTSIDE, name, "postgres");
}

async function portIsFree(port: number): Promise<boolean> {
  if (port === 0) return false;
  return new Promise((done) => {
    const probe = createServer();
    probe.once("error", () => done(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
  });
}

/**
 * A port below those that systems hand out to outgoing connections: while the server is away, one that knocks there
 * could be given that very port, be connected to itself, and keep the server out.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await portIsFree(port)) return port;
  }
}
