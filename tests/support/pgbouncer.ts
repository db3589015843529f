import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { unprivilegedIdentity } from "@/db/embedded/unprivileged-user";
import { freePort, waitUntil } from "./server";

const PROGRAM = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find((path) =>
  existsSync(path),
);

export const hasPgbouncer = PROGRAM !== undefined;

export interface Pooler {
  /** The same database by way of the pooler. Statements without names, for the tests' own connections. */
  through(url: string): string;
  stop(): Promise<void>;
}

/**
 * A PgBouncer in transaction mode in front of the server of this address, for every database of it. `ignored` are
 * parameters of a connection's start that it swallows instead of refusing them.
 */
export async function startPgbouncer(serverUrl: string, ignored: string[] = []): Promise<Pooler> {
  if (PROGRAM === undefined) throw new Error("there is no pgbouncer on this machine");
  const server = new URL(serverUrl);
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), "signal-pgbouncer-"));
  chmodSync(directory, 0o755);
  const user = decodeURIComponent(server.username);
  writeFileSync(join(directory, "users.txt"), `"${user}" "${decodeURIComponent(server.password)}"\n`);
  writeFileSync(
    join(directory, "pgbouncer.ini"),
    [
      "[databases]",
      `* = host=${server.hostname} port=${server.port || 5432}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = scram-sha-256",
      `auth_file = ${join(directory, "users.txt")}`,
      "pool_mode = transaction",
      "default_pool_size = 8",
      "max_client_conn = 500",
      "server_idle_timeout = 5",
      "server_login_retry = 1",
      ...(ignored.length > 0 ? [`ignore_startup_parameters = ${ignored.join(",")}`] : []),
      "",
    ].join("\n"),
  );
  const child: ChildProcess = spawn(PROGRAM, ["-q", join(directory, "pgbouncer.ini")], {
    ...unprivilegedIdentity(),
    stdio: "ignore",
  });
  const through = (url: string) => {
    const address = new URL(url);
    address.hostname = "127.0.0.1";
    address.port = String(port);
    address.searchParams.set("prepare", "false");
    return address.href;
  };
  const client = postgres(through(serverUrl), { max: 1, connect_timeout: 1, onnotice: () => undefined });
  await waitUntil(async () => (await client`select 1`.catch(() => [])).length === 1, 10_000);
  await client.end();
  return {
    through,
    stop: async () => {
      if (child.exitCode === null) {
        child.kill("SIGINT");
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
