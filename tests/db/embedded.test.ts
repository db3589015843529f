import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmbeddedDatabase, startEmbeddedDatabase } from "@/db/embedded/cluster";
import { readCluster } from "@/db/embedded/cluster-file";
import { waitUntil } from "@/tests/support/server";

let dataDir: string;
const running: EmbeddedDatabase[] = [];

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "signal-embedded-"));
  chmodSync(dataDir, 0o755);
});
afterAll(async () => {
  await running.at(-1)?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase(dataDir);
  running.push(database);
  return database;
}

async function ask<T>(url: string, question: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await question(sql);
  } finally {
    await sql.end();
  }
}

const postmasterPid = () => {
  const cluster = readCluster(dataDir);
  if (!cluster) throw new Error("no cluster");
  return Number(readFileSync(join(cluster.dataDir, "postmaster.pid"), "utf8").split("\n")[0]);
};

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

// These tests run in order: each starts from the state the previous one left.
describe.sequential("the embedded database", () => {
  it("the embedded database starts once when two starts happen at the same time", async () => {
    process.env.CANARY_SECRET = "a secret of the service";
    const [one, two] = await Promise.all([start(), start()]);
    delete process.env.CANARY_SECRET;
    expect([one.started, two.started].sort()).toEqual([false, true]);
    expect(one.url).toBe(two.url);
    await ask(one.url, (sql) => sql`create table kept (n int)`);
  });

  it("the embedded database listens on loopback only, with a password in a file that only the file's owner can read", async () => {
    expect(statSync(join(dataDir, "postgres.json")).mode & 0o777).toBe(0o600);
    const [row] = await ask(running[0]!.url, (sql) => sql`show listen_addresses`);
    expect(row?.listen_addresses).toBe("127.0.0.1");
    const wrong = new URL(running[0]!.url);
    wrong.password = "wrong";
    await expect(ask(wrong.href, (sql) => sql`select 1`)).rejects.toThrow("password authentication failed");
  });

  it.runIf(process.platform === "linux")(
    "the embedded database does not get the service's environment",
    () => {
      const environment = readFileSync(`/proc/${postmasterPid()}/environ`, "utf8");
      expect(environment).toContain("TZ=UTC");
      expect(environment).not.toContain("CANARY_SECRET");
    },
  );

  it("the embedded database is reused while it runs", async () => {
    const pid = postmasterPid();
    expect((await start()).started).toBe(false);
    expect(postmasterPid()).toBe(pid);
  });

  it("the embedded database is stopped only by its owner, and taken over when the owner was killed", async () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const ended = new Promise((done) => other.once("exit", done));
    const record = join(dataDir, "postgres.json");
    writeFileSync(record, JSON.stringify({ ...readCluster(dataDir), owner: other.pid }));
    const pid = postmasterPid();
    const database = await start();
    await database.leave();
    expect(isAlive(pid)).toBe(true);
    expect(readCluster(dataDir)?.owner).toBe(other.pid);
    other.kill("SIGKILL");
    await ended;
    await (await start()).leave();
    expect(isAlive(pid)).toBe(false);
    await start();
  });

  it("the embedded database is taken over when its owner's process id is that of another program", async () => {
    const record = join(dataDir, "postgres.json");
    writeFileSync(record, JSON.stringify({ ...readCluster(dataDir), owner: postmasterPid() }));
    await start();
    expect(readCluster(dataDir)?.owner).toBe(process.pid);
  });

  it("the embedded database stops, and starts again at the same address with committed data", async () => {
    const { url } = running[0]!;
    await ask(url, (sql) => sql`insert into kept values (1)`);
    const pid = postmasterPid();
    await running.at(-1)!.stop();
    expect(isAlive(pid)).toBe(false);
    const again = await start();
    expect(again).toMatchObject({ started: true, url });
    expect(await ask(url, (sql) => sql`select n from kept`)).toEqual([{ n: 1 }]);
  });

  it("the embedded database recovers committed data after kill -9 under load", async () => {
    const { url } = running.at(-1)!;
    const sql = postgres(url, { max: 4, onnotice: () => undefined });
    const acknowledged: number[] = [];
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; ; n++) {
        const value = 1_000 * (writer + 1) + n;
        await sql`insert into kept values (${value})`;
        acknowledged.push(value);
      }
    });
    await waitUntil(async () => acknowledged.length > 40, 10_000);
    process.kill(postmasterPid(), "SIGKILL");
    await Promise.allSettled(writers);
    await sql.end({ timeout: 0 });
    const again = await start();
    expect(again.started).toBe(true);
    const rows = await ask(again.url, (client) => client<{ n: number }[]>`select n from kept`);
    const found = new Set(rows.map((row) => row.n));
    expect(acknowledged.filter((value) => !found.has(value))).toEqual([]);
  });

  it("the embedded database starts again when the server to reuse is shutting down and does not answer", async () => {
    const { url } = running.at(-1)!;
    const sql = postgres(url, { max: 1, onnotice: () => undefined });
    const [backend] = await sql`select pg_backend_pid() as pid`;
    // A server process that does not react delays the shutdown by five seconds.
    process.kill(backend?.pid, "SIGSTOP");
    process.kill(postmasterPid(), "SIGQUIT");
    const again = await start();
    await sql.end({ timeout: 0 });
    expect(again).toMatchObject({ started: true, url });
  });

  it("the embedded database is not created over a data directory with an unreadable postgres.json", async () => {
    const { url } = running.at(-1)!;
    await running.at(-1)!.stop();
    const record = join(dataDir, "postgres.json");
    const text = readFileSync(record, "utf8");
    // As after a write on a full disk.
    writeFileSync(record, "");
    await expect(start()).rejects.toThrow("postgres.json cannot be read");
    writeFileSync(record, text);
    await start();
    expect(await ask(url, (sql) => sql`select n from kept where n = 1`)).toEqual([{ n: 1 }]);
  });

  it("the embedded database starts when another process has the id of its dead server", async () => {
    const cluster = readCluster(dataDir)!;
    const pidFile = join(cluster.dataDir, "postmaster.pid");
    const text = readFileSync(pidFile, "utf8");
    await running.at(-1)!.stop();
    // As after a crash, with the id of a process that is not PostgreSQL.
    writeFileSync(pidFile, text.replace(/^\d+/, "1"));
    const startedAt = performance.now();
    expect((await start()).started).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  it("the embedded database is created once by two concurrent processes, even after a killed start", {
    timeout: 60_000,
  }, async () => {
    const empty = mkdtempSync(join(tmpdir(), "signal-embedded-together-"));
    chmodSync(empty, 0o755);
    // As after a start that was killed while it created the cluster.
    mkdirSync(join(empty, "postgres.unfinished-4194303"));
    const program = `
      import { startEmbeddedDatabase } from "@/db/embedded/cluster";
      const { url, started } = await startEmbeddedDatabase(process.argv[1]);
      process.stdout.write(JSON.stringify({ url, started }));
      process.exit(0);`;
    const starts = await Promise.all(
      [1, 2].map(async () => {
        const child = spawn(process.execPath, [
          "--import",
          "tsx",
          "--input-type=module",
          "-e",
          program,
          empty,
        ]);
        let output = "";
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (chunk: Buffer) => {
            output += chunk.toString();
          });
        await new Promise((done) => child.once("close", done));
        expect(output).toMatch(/^\{.*\}$/);
        return JSON.parse(output) as { url: string; started: boolean };
      }),
    );
    const database = await startEmbeddedDatabase(empty);
    try {
      expect(starts.map(({ started }) => started).sort()).toEqual([false, true]);
      expect(new Set([database.url, ...starts.map(({ url }) => url)]).size).toBe(1);
      expect(await ask(database.url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
      expect(readdirSync(empty).filter((name) => /unfinished|draft|password/.test(name))).toEqual([]);
    } finally {
      await database.stop();
      rmSync(empty, { recursive: true, force: true });
    }
  });

  it("a copy whose start has not bound its port yet does not use the original's server on that port", async () => {
    const original = mkdtempSync(join(tmpdir(), "signal-embedded-original-"));
    chmodSync(original, 0o755);
    const copy = `${original}-copy`;
    const files = join(copy, "postgres");
    try {
      await (await startEmbeddedDatabase(original)).stop();
      execFileSync("cp", ["-a", original, copy]);
      const first = await startEmbeddedDatabase(original);
      // PostgreSQL writes its port into postmaster.pid before it binds it. The copy recorded the original's port.
      const binding = spawn(process.execPath, ["-e", "setTimeout(() => undefined, 1_000)", files]);
      const { port } = new URL(first.url);
      writeFileSync(join(files, "postmaster.pid"), [binding.pid, files, 0, port, "", "", ""].join("\n"));
      const second = await startEmbeddedDatabase(copy);
      expect(await ask(second.url, (sql) => sql`show data_directory`)).toEqual([{ data_directory: files }]);
      await Promise.all([first.stop(), second.stop()]);
    } finally {
      for (const folder of [original, copy]) rmSync(folder, { recursive: true, force: true });
    }
  });

  it("a copy of a data directory has a database separate from the original's", async () => {
    const original = mkdtempSync(join(tmpdir(), "signal-embedded-original-"));
    chmodSync(original, 0o755);
    const copy = `${original}-copy`;
    try {
      const before = await startEmbeddedDatabase(original);
      await ask(before.url, (sql) => sql`create table copied (n int)`);
      await before.stop();
      // Unlike cpSync, keeps the owner of the database's files, which is another user if root runs the tests.
      execFileSync("cp", ["-a", original, copy]);
      const database = await startEmbeddedDatabase(copy);
      await ask(database.url, (sql) => sql`insert into copied values (1)`);
      await database.stop();
      const again = await startEmbeddedDatabase(original);
      expect(await ask(again.url, (sql) => sql`select * from copied`)).toEqual([]);
      await again.stop();
    } finally {
      for (const folder of [original, copy]) rmSync(folder, { recursive: true, force: true });
    }
  });

  it.runIf(process.getuid?.() === 0)(
    "the embedded database starts as root for a private data directory, with umask 077",
    async () => {
      const closed = mkdtempSync(join(tmpdir(), "signal-embedded-closed-"));
      const umask = process.umask(0o077);
      try {
        const database = await startEmbeddedDatabase(closed);
        expect(await ask(database.url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
        await database.stop();
      } finally {
        process.umask(umask);
        const outside = readCluster(closed)?.dataDir;
        if (outside) rmSync(dirname(outside), { recursive: true, force: true });
        rmSync(closed, { recursive: true, force: true });
      }
    },
  );
});
