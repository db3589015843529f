/**
 * The embedded PostgreSQL, which the service starts when DATABASE_URL is not set. It listens on loopback with a generated
 * password. Its files are under DATA_DIR, or under OUTSIDE if PostgreSQL's user cannot reach DATA_DIR.
 *
 * The process that started the server owns and stops it; others connect to it. A server whose owner was killed keeps
 * running, and the next process that finds it becomes its owner. PostgreSQL's postmaster.pid prevents a second server
 * on the same files.
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
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import { MINUTE_MS } from "@/lib/time";
import { findPostgresBinaries, type PostgresBinaries } from "./binaries";
import {
  type Cluster,
  clusterFile,
  clusterFilesDirectory,
  clusterUrl,
  createClusterFile,
  isClusterInitialized,
  readCluster,
  writeClusterFile,
} from "./cluster-file";
import { isReachableByOthers, unprivilegedIdentity } from "./unprivileged-user";

const START_DEADLINE_MS = MINUTE_MS;
/** Time for repeated starts: PostgreSQL refuses to start while processes of a killed server hold its shared memory. */
const REFUSAL_MS = 10_000;

export interface EmbeddedDatabase {
  url: string;
  /** True if this call started the server; false if it was already running. */
  started: boolean;
  /** Shuts the server down (open transactions are rolled back) and waits up to 15 seconds for its end. */
  stop(): Promise<void>;
  /** Stops the server if this process owns it. */
  leave(): Promise<void>;
}

/** Whether the cluster's server is down. False if there is no cluster. */
export function isEmbeddedDatabaseDown(dataDir: string): boolean {
  const cluster = readCluster(dataDir);
  return cluster !== null && isClusterInitialized(cluster.dataDir) && livePostmaster(cluster) === null;
}

/**
 * Starts the embedded database unless it runs. Throws if it cannot be started, for example without PostgreSQL binaries.
 */
export async function startEmbeddedDatabase(dataDir: string): Promise<EmbeddedDatabase> {
  mkdirSync(dataDir, { recursive: true });
  const deadline = Date.now() + START_DEADLINE_MS;
  const known = readCluster(dataDir);
  const isFound = known !== null && (await answers(known, deadline));
  const cluster = isFound ? known : makeCluster(dataDir);
  const started = !isFound && (await startServer(dataDir, cluster, deadline));
  const running = recordOwner(dataDir, cluster, started);
  await ensureDatabase(running);
  return {
    url: clusterUrl(running, "signals"),
    started,
    stop: () => stopServer(dataDir),
    leave: async () => {
      if (readCluster(dataDir)?.owner === process.pid) await stopServer(dataDir);
    },
  };
}

/** Records the server's port, and this process as its owner if it started the server or the recorded owner has ended. */
function recordOwner(dataDir: string, cluster: Cluster, started: boolean): Cluster {
  const recorded = readCluster(dataDir);
  const isOwned = !started && recorded?.owner !== undefined && isOneOfOurs(recorded.owner);
  const owner = isOwned ? recorded?.owner : process.pid;
  const running = { ...cluster, port: livePostmaster(cluster)?.port ?? cluster.port, owner };
  // Written only on a change: most restarts change nothing, and writing fails on a full disk.
  if (recorded?.port !== running.port || recorded.owner !== owner) writeClusterFile(dataDir, running);
  return running;
}

/**
 * Creates the database cluster's files and its cluster file (`clusterFile`). If several processes do this at once, one
 * succeeds and the others use its result: the cluster file comes first, so that all use one password, and the database
 * files are moved into place when complete. Database files without a readable cluster file are never touched: only
 * their password is lost, not their data.
 */
function makeCluster(dataDir: string): Cluster {
  const directory = clusterDirectory(dataDir);
  const known = readCluster(dataDir);
  if (known && isClusterInitialized(known.dataDir)) return known;
  if (isClusterInitialized(directory))
    throw new Error(`${clusterFile(dataDir)} cannot be read; restore it, or move ${directory} away`);
  const password = randomBytes(18).toString("base64url");
  // Port 0 counts as not free, so that startServer picks a port.
  const cluster = createClusterFile(dataDir, { dataDir: directory, port: 0, password });
  initialise({ ...cluster, dataDir: directory }, findPostgresBinaries(dataDir));
  return { ...cluster, dataDir: directory };
}

function initialise({ dataDir: directory, password }: Cluster, binaries: PostgresBinaries): void {
  if (directory.startsWith(OUTSIDE)) makePassable(dirname(directory));
  const unfinished = `${directory}.unfinished-${process.pid}`;
  const passwordFile = join(dirname(directory), `.password-${process.pid}`);
  removeUnfinished(directory);
  const identity = unprivilegedIdentity();
  try {
    mkdirSync(unfinished, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (identity) for (const path of [unfinished, passwordFile]) chownSync(path, identity.uid, identity.gid);
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
    renameSync(unfinished, directory);
  } catch (error) {
    // Fails if another process was faster, because a non-empty directory is never replaced. Its cluster is used then.
    if (!isClusterInitialized(directory)) throw error;
  } finally {
    for (const path of [unfinished, passwordFile]) rmSync(path, { recursive: true, force: true });
  }
}

/** Removes unfinished clusters of killed processes. */
function removeUnfinished(directory: string): void {
  const begin = `${basename(directory)}.unfinished`;
  for (const name of readdirSync(dirname(directory)))
    if (name.startsWith(begin) && !isOneOfOurs(Number(name.slice(begin.length + 1))))
      rmSync(join(dirname(directory), name), { recursive: true, force: true });
}

/** Starts the server. Returns false if another process started it at the same time. */
async function startServer(dataDir: string, cluster: Cluster, deadline: number): Promise<boolean> {
  const binaries = findPostgresBinaries(dataDir);
  const giveUpAt = Date.now() + REFUSAL_MS;
  for (;;) {
    const port = (await portIsFree(cluster.port)) ? cluster.port : await pickFreePort();
    const child = launch(binaries, { ...cluster, port });
    while (child.exitCode === null && child.signalCode === null) {
      if (Date.now() > deadline)
        throw new Error("The embedded database did not answer within a minute; start again");
      if (livePostmaster(cluster)?.pid === child.pid && (await answers(cluster, Date.now() + 1_000))) {
        child.unref();
        return true;
      }
      await pause(25);
    }
    if (await answers(cluster, deadline)) return false;
    if (Date.now() > giveUpAt)
      throw new Error(`The embedded database did not start; see ${join(dataDir, "postgres.log")}`);
    await pause(250);
  }
}

function launch(binaries: PostgresBinaries, cluster: Cluster): ChildProcess {
  const log = openSync(join(dirname(cluster.dataDir), "postgres.log"), "a", 0o600);
  const settings = {
    port: cluster.port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    // A web replica and a worker use about a third of them. The rest is for tools.
    max_connections: 100,
    shared_buffers: "256MB",
    timezone: "UTC",
    jit: "off",
    // The processes that use the database restart it after a crash: PostgreSQL's own restart can hang on a full disk.
    restart_after_crash: "off",
    // Keeps statements and their values out of log files, because they contain addresses and hashes.
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
    // A separate session: Ctrl-C in the terminal must not stop the database before the server.
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

/** The variables that PostgreSQL needs. All others may be secrets, and its process may run as another user. */
function environment(): NodeJS.ProcessEnv {
  const { NODE_ENV, PATH, LD_LIBRARY_PATH, SystemRoot, TEMP } = process.env;
  return { NODE_ENV, PATH, LD_LIBRARY_PATH, SystemRoot, TEMP, TZ: "UTC" };
}

/** Whether the cluster's server answers before the deadline. False as soon as it is not running. */
async function answers(cluster: Cluster, deadline: number): Promise<boolean> {
  const port = livePostmaster(cluster)?.port;
  if (port === undefined) return false;
  const sql = postgres(clusterUrl({ ...cluster, port }, "postgres"), {
    max: 1,
    connect_timeout: 2,
    onnotice: () => undefined,
  });
  try {
    do {
      try {
        const [row] = await sql<
          { directory: string }[]
        >`select current_setting('data_directory') as directory`;
        // postmaster.pid names the port before it is bound: the server of a copied data directory may have it, and
        // accepts the same password.
        return row !== undefined && realpathSync(row.directory) === realpathSync(cluster.dataDir);
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
    // 42P04, or 23505 on a race: another process created it.
    if (!(error instanceof postgres.PostgresError && ["42P04", "23505"].includes(error.code))) throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function stopServer(dataDir: string): Promise<void> {
  const cluster = readCluster(dataDir);
  const pid = cluster && livePostmaster(cluster)?.pid;
  if (!pid) return;
  // SIGINT is PostgreSQL's fast shutdown: connections are ended, everything committed is on disk.
  process.kill(pid, "SIGINT");
  const deadline = Date.now() + 15_000;
  while (isAlive(pid) && Date.now() < deadline) await pause(20);
}

/** Process id and port of the cluster's running postmaster, or null. */
function livePostmaster({ dataDir }: Cluster): { pid: number; port: number } | null {
  try {
    const lines = readFileSync(join(dataDir, "postmaster.pid"), "utf8").split("\n");
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    return port > 0 && isPostmaster(pid, dataDir) ? { pid, port } : null;
  } catch {
    return null;
  }
}

/** Whether a process is the cluster's postmaster: after a crash another program may have the id in postmaster.pid. */
function isPostmaster(pid: number, dataDir: string): boolean {
  if (!isAlive(pid)) return false;
  if (!existsSync("/proc/self/cmdline")) return true;
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(dataDir);
}

/** Whether a running process has this id and, on Linux, runs the same program as this one: ids are reused. */
function isOneOfOurs(pid: number): boolean {
  if (pid === process.pid) return true;
  if (!isAlive(pid)) return false;
  if (!existsSync("/proc/self/exe")) return true;
  try {
    return readlinkSync(`/proc/${pid}/exe`) === readlinkSync("/proc/self/exe");
  } catch {
    return false;
  }
}

/** Whether a process with this id runs, as any user. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Location for clusters whose data directory is closed to the unprivileged user. */
const OUTSIDE = "/var/lib/signal-delivery-service";

/** Creates the folders of a path so that PostgreSQL's user can traverse them with any umask. */
function makePassable(folder: string): void {
  for (const part of [OUTSIDE, folder]) {
    mkdirSync(part, { recursive: true });
    chmodSync(part, 0o711);
  }
}

/** Directory of the cluster's files: under `dataDir`, or under OUTSIDE if the unprivileged user cannot reach `dataDir`. */
function clusterDirectory(dataDir: string): string {
  if (!unprivilegedIdentity() || isReachableByOthers(dataDir)) return clusterFilesDirectory(dataDir);
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
 * Picks a port from 20,000 to 31,999 that is free on loopback. These are below the usual ephemeral ranges: while the
 * server is down, a client that connects to an ephemeral port could get that port as its own, be connected to itself,
 * and keep the server from listening.
 */
export async function pickFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await portIsFree(port)) return port;
  }
}
