import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { pickFreePort } from "@/db/embedded/cluster";
import { unprivilegedIdentity } from "@/db/embedded/unprivileged-user";
import { waitUntil } from "./server";

/**
 * Program folder of the newest PostgreSQL installed from Debian's packages; null if there is none or if it lacks
 * pg_basebackup.
 */
export const postgresPrograms: string | null = newestPrograms();

function newestPrograms(): string | null {
  const root = "/usr/lib/postgresql";
  if (!existsSync(root)) return null;
  const versions = readdirSync(root).filter((name) => /^\d+$/.test(name));
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  const bin = newest === undefined ? "" : join(root, newest, "bin");
  return existsSync(join(bin, "pg_basebackup")) ? bin : null;
}

export interface RunningPostgres {
  directory: string;
  port: number;
  /** The URL for a role and a database of this server. */
  url(role: string, password: string, database: string): string;
  stop(how?: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
}

export const SUPERUSER_PASSWORD = "superuser-of-a-test";

/** Creates a cluster with Debian's PostgreSQL and starts it on loopback, as an unprivileged user. */
export async function startPostgres({ port }: { port?: number } = {}): Promise<RunningPostgres> {
  const directory = placeFor();
  const file = `${directory}.password`;
  writeFileSync(file, SUPERUSER_PASSWORD);
  giveToPostgres(file);
  run("initdb", [
    "-D",
    directory,
    "-U",
    "postgres",
    `--pwfile=${file}`,
    "--auth=scram-sha-256",
    "-E",
    "UTF8",
  ]);
  rmSync(file);
  return launch(directory, port ?? (await pickFreePort()));
}

/** Creates a streaming replica of a cluster with pg_basebackup and starts it. */
export async function startReplica(primary: RunningPostgres): Promise<RunningPostgres> {
  const directory = placeFor();
  const from = primary.url("postgres", SUPERUSER_PASSWORD, "postgres");
  run("pg_basebackup", ["-D", directory, "-d", from, "-R", "-X", "stream", "--checkpoint=fast"]);
  return launch(directory, await pickFreePort());
}

/** Writes a base backup of a cluster to `directory`, without WAL, which the cluster archives separately. */
export function baseBackup(primary: RunningPostgres, directory: string): void {
  const from = primary.url("postgres", SUPERUSER_PASSWORD, "postgres");
  run("pg_basebackup", ["-D", directory, "-d", from, "-X", "none", "--checkpoint=fast"]);
}

/** Opens a connection as superuser. */
export function connectAsSuperuser(server: RunningPostgres, database = "postgres"): postgres.Sql {
  return postgres(server.url("postgres", SUPERUSER_PASSWORD, database), {
    max: 1,
    onnotice: () => undefined,
  });
}

function placeFor(): string {
  const parent = mkdtempSync(join(tmpdir(), "signal-cluster-"));
  chmodSync(parent, 0o755);
  const directory = join(parent, "data");
  mkdirSync(directory, { mode: 0o700 });
  giveToPostgres(directory);
  giveToPostgres(parent);
  return directory;
}

/** Run as root, makes the user who runs PostgreSQL the owner of a file or folder with everything in it. */
export function giveToPostgres(path: string): void {
  const identity = unprivilegedIdentity();
  if (identity) execFileSync("chown", ["-R", `${identity.uid}:${identity.gid}`, path]);
}

function run(program: string, args: string[]): void {
  execFileSync(join(postgresPrograms ?? "", program), args, {
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
    ...unprivilegedIdentity(),
  });
}

async function launch(directory: string, port: number): Promise<RunningPostgres> {
  let child: ChildProcess | null = null;
  const url = (role: string, password: string, database: string) =>
    `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
  const start = async () => {
    const options = ["listen_addresses=127.0.0.1", `port=${port}`, "unix_socket_directories=", "fsync=off"];
    child = spawn(
      join(postgresPrograms ?? "", "postgres"),
      ["-D", directory, ...options.flatMap((option) => ["-c", option])],
      { cwd: "/", stdio: "ignore", ...unprivilegedIdentity() },
    );
    const isReady = ["-h", "127.0.0.1", "-p", String(port), "-q"];
    await waitUntil(
      async () => spawnSync(join(postgresPrograms ?? "", "pg_isready"), isReady).status === 0,
      30_000,
    );
  };
  await start();
  return {
    directory,
    port,
    url,
    start,
    stop: async (how = "SIGINT") => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((done) => child?.once("exit", done));
      child.kill(how);
      await gone;
    },
  };
}
