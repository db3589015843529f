import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { pickFreePort, startEmbeddedDatabase } from "@/db/embedded/cluster";
import { readCluster } from "@/db/embedded/cluster-file";
import { ADMIN_SECRET, createDatabase, testEnvironment } from "@/tests/support/database";
import { schemaFloorStatement } from "@/tests/support/schema-floor";
import { startProcess, startServer, waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { PROJECT_ROOT } from "./built-server";

describe("an invalid configuration", () => {
  it("an invalid configuration ends the start with one message naming every invalid variable but no value, and exit code 2", () => {
    for (const file of ["server.mjs", "worker.mjs"]) {
      const run = spawnSync(process.execPath, [join(PROJECT_ROOT, ".build", file)], {
        cwd: PROJECT_ROOT,
        encoding: "utf8",
        env: {
          PATH: process.env.PATH ?? "",
          NODE_ENV: "production",
          PORT: "bad-1",
          DATABASE_URL: "bad-2",
          LOG_LEVEL: "bad-3",
          OWNER_API_KEY: "bad-4",
        },
      });
      expect(run.status).toBe(2);
      for (const name of [
        "PORT",
        "DATABASE_URL",
        "LOG_LEVEL",
        "OWNER_API_KEY",
        "NEXTAUTH_SECRET",
        "ENCRYPTION_KEY",
      ]) {
        expect(run.stderr.match(new RegExp(`- ${name}:`, "g"))?.length, name).toBeGreaterThanOrEqual(1);
      }
      expect(run.stdout + run.stderr).not.toContain("bad-");
    }
  });
});

describe("a start of the build alone", () => {
  const bare = { PATH: process.env.PATH ?? "" } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv;
  /** Creates a folder with the build and this .env. Returns its path. */
  function installation(dotenv: string | null): string {
    const folder = temporaryDirectory("signal-installation-");
    cpSync(join(PROJECT_ROOT, ".build"), join(folder, ".build"), { recursive: true });
    for (const name of ["node_modules", "db", ".next", "package.json", "next.config.mjs"])
      symlinkSync(join(PROJECT_ROOT, name), join(folder, name));
    if (dotenv !== null) writeFileSync(join(folder, ".env"), dotenv);
    return folder;
  }

  it.each(["server.mjs", "worker.mjs"])(
    "a start without DATABASE_URL and MARKET_FEED is refused and creates nothing: %s",
    (file) => {
      const folder = installation(null);
      const run = spawnSync(process.execPath, [join(folder, ".build", file)], {
        cwd: folder,
        encoding: "utf8",
        env: bare,
        timeout: 20_000,
      });
      expect(run.status, run.stdout + run.stderr).toBe(2);
      expect(run.stderr).toContain("Neither DATABASE_URL nor MARKET_FEED is set");
      expect(readdirSync(folder)).not.toContain(".data");
    },
  );

  it.each(["server.mjs", "worker.mjs"])(
    "a start reads .env from any working directory, with the environment taking precedence: %s",
    (file) => {
      const folder = installation("PORT=bad-1\nMARKET_FEED=bad-2\nLOG_LEVEL=bad-3\n");
      const run = spawnSync(process.execPath, [join(folder, ".build", file)], {
        cwd: tmpdir(),
        encoding: "utf8",
        env: { ...bare, LOG_LEVEL: "warn" },
        timeout: 20_000,
      });
      expect(run.status, run.stdout + run.stderr).toBe(2);
      expect(run.stderr).toContain("- PORT: ");
      expect(run.stderr).toContain("- MARKET_FEED: ");
      expect(run.stderr).not.toContain("LOG_LEVEL");
    },
  );

  it("the build, started directly with Node, uses the port and database from .env", {
    timeout: 60_000,
  }, async () => {
    const database = await createDatabase();
    const port = await pickFreePort();
    const settings = testEnvironment(database.url, { PORT: String(port), WORKER: "none", LOG_FILE: "" });
    const folder = installation(
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}`)
        .join("\n"),
    );
    const child = spawn(process.execPath, [join(folder, ".build/server.mjs")], { cwd: tmpdir(), env: bare });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    const ended = new Promise((done) => child.once("close", done));
    try {
      const keys = () =>
        fetch(`http://127.0.0.1:${port}/admin/keys`, { headers: { "X-Admin-Secret": ADMIN_SECRET } });
      await waitUntil(
        async () => (await keys().catch(() => null))?.status === 200,
        30_000,
        () => output,
      );
    } finally {
      child.kill("SIGTERM");
      await ended;
      await database.drop();
    }
  });
});

describe("a database migrated by a newer build", () => {
  it("a database of a newer build is served while no migration was breaking", {
    timeout: 90_000,
  }, async () => {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 1 });
    // Possible changes of a next release: a table, a column, an index.
    await sql.unsafe(`
      create table of_next_release (id integer primary key);
      alter table executions add column of_next_release text default 'a' not null;
      create index executions_of_next_release on executions (of_next_release);
      insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', ${Date.UTC(2099, 0)})`);
    await sql.end();
    const server = await startServer(database.url);
    try {
      expect((await fetch(`${server.url}/api/health/ready`)).status).toBe(200);
      const admin = { "X-Admin-Secret": ADMIN_SECRET };
      const made = await fetch(`${server.url}/admin/keys`, {
        method: "POST",
        headers: admin,
        body: JSON.stringify({ user_name: "Ada", plan_tier: "pro" }),
      });
      const { api_key } = await made.json();
      const report = await fetch(`${server.url}/api/executions`, {
        method: "POST",
        headers: { "X-API-Key": api_key },
        body: JSON.stringify({ ticket: 1, symbol: "EURUSD", timeframe: "H1", signal: "BUY" }),
      });
      expect([made.status, report.status]).toEqual([201, 201]);
    } finally {
      await server.stop();
      await database.drop();
    }
  });

  it("a database with a breaking migration of a newer build is left alone: the start ends with an explanation", {
    timeout: 90_000,
  }, async () => {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 1 });
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', ${Date.UTC(2099, 0)})`;
    await sql.unsafe(schemaFloorStatement(Date.UTC(2099, 0)));
    await sql.end();
    try {
      const port = await pickFreePort();
      const environment = { ...testEnvironment(database.url), PORT: String(port), LOG_FILE: "" };
      for (const file of ["server.mjs", "worker.mjs"] as const)
        await expect(startProcess(file, environment, port, () => false)).rejects.toThrow(
          /schema is newer than this build can use.*"\d{4}_[\w-]+" of .*the migration of 2099-01-01T00:00:00Z.*Going back/,
        );
    } finally {
      await database.drop();
    }
  });
});

describe("a failed start", () => {
  it("a failed start leaves no database running", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "signal-port-"));
    chmodSync(dataDir, 0o755);
    const holder = createServer().listen(0);
    const address = holder.address();
    const port = typeof address === "object" && address ? address.port : 0;
    try {
      await expect(
        startProcess(
          "server.mjs",
          { DATA_DIR: dataDir, MARKET_FEED: "demo", PORT: String(port) },
          port,
          () => false,
        ),
      ).rejects.toThrow("EADDRINUSE");
      expect(existsSync(join(readCluster(dataDir)?.dataDir ?? "", "postmaster.pid"))).toBe(false);
    } finally {
      holder.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe("a stopped start", () => {
  const node = process.execPath;
  const server = [node, join(PROJECT_ROOT, ".build/server.mjs")];
  const clusterIsMade = (dataDir: string) =>
    readdirSync(dataDir).some((name) => /^postgres(\.unfinished-\d+)?$/.test(name));
  const databaseRuns = (dataDir: string) => existsSync(join(dataDir, "postgres/postmaster.pid"));
  const listens = (_dataDir: string, output: string) => output.includes('"listening"');
  it.each([
    ["the server, while its cluster is made", server, clusterIsMade],
    ["the server, before it listens", server, databaseRuns],
    ["the server, while its schema is made", server, listens],
    ["the worker", [node, join(PROJECT_ROOT, ".build/worker.mjs")], databaseRuns],
    ["npm start", ["npm", "start"], databaseRuns],
    ["npm run dev", ["npm", "run", "dev"], databaseRuns],
    ["a command", [node, "--import", "tsx", "lib/commands/engine.ts", "tick"], databaseRuns],
  ])(
    "a stopped start leaves no database running: %s",
    { timeout: 90_000 },
    async (_what, [file = "", ...args], isMoment) => {
      const dataDir = temporaryDirectory("signal-early-stop-");
      const child = spawn(file, args, {
        cwd: PROJECT_ROOT,
        // Next's types require NODE_ENV in every environment.
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          DATA_DIR: dataDir,
          MARKET_FEED: "demo",
          PORT: String(await pickFreePort()),
        } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => {
          output += chunk.toString();
        });
      const ended = new Promise((done) => child.once("close", done));
      await waitUntil(
        async () => isMoment(dataDir, output),
        60_000,
        () => output,
      );
      child.kill("SIGTERM");
      // Includes the child processes of npm, which keep its output open.
      await ended;
      const left = databaseRuns(dataDir);
      if (left) await (await startEmbeddedDatabase(dataDir)).stop();
      expect(left, output).toBe(false);
      expect(readdirSync(dataDir).filter((name) => /unfinished|draft|password/.test(name))).toEqual([]);
    },
  );
});
