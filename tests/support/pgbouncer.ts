import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { pickFreePort } from "@/db/embedded/cluster";
import { unprivilegedIdentity } from "@/db/embedded/unprivileged-user";
import { waitUntil } from "./server";

const PROGRAM = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find((path) =>
  existsSync(path),
);

/** Lines of deploy/pgbouncer.ini from its section [pgbouncer] on. */
const EXAMPLE = readFileSync(new URL("../../deploy/pgbouncer.ini", import.meta.url), "utf8")
  .replace(/^.*?(?=^\[pgbouncer\])/ms, "")
  .split("\n");
const nameOf = (line: string) => line.split("=", 1)[0]?.trim() ?? "";

export const hasPgbouncer = PROGRAM !== undefined;

export interface RunningPgbouncer {
  /** Rewrites a database URL of the server to go through the pooler, without named statements. */
  through(url: string): string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode in front of the PostgreSQL server at this URL, for every database. `ignored`
 * are start-up parameters that PgBouncer drops instead of refusing.
 */
export async function startPgbouncer(serverUrl: string, ignored: string[] = []): Promise<RunningPgbouncer> {
  if (PROGRAM === undefined) throw new Error("there is no pgbouncer on this machine");
  const server = new URL(serverUrl);
  const port = await pickFreePort();
  const directory = mkdtempSync(join(tmpdir(), "signal-pgbouncer-"));
  chmodSync(directory, 0o755);
  const user = decodeURIComponent(server.username);
  // Settings that replace those of the example: port, files, pool size, a shorter timeout and the ignored parameters.
  const own: Record<string, string> = {
    listen_port: String(port),
    unix_socket_dir: "",
    auth_file: join(directory, "users.txt"),
    default_pool_size: "8",
    server_idle_timeout: "5",
    ...(ignored.length > 0 ? { ignore_startup_parameters: ignored.join(",") } : {}),
  };
  const databases = `* = host=${server.hostname} port=${server.port || 5432}`;
  writeFileSync(join(directory, "users.txt"), `"${user}" "${decodeURIComponent(server.password)}"\n`);
  writeFileSync(
    join(directory, "pgbouncer.ini"),
    [
      "[databases]",
      databases,
      ...EXAMPLE.filter((line) => !Object.hasOwn(own, nameOf(line))),
      ...Object.entries(own).map(([name, value]) => `${name} = ${value}`),
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
