import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCluster } from "@/db/embedded/address";
import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import { freePort, startProcess, waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { root } from "./built-server";

describe("a broken configuration", () => {
  it("ends the start with one message that names every bad variable and no value, and exit code 2", () => {
    for (const file of ["server.mjs", "worker.mjs"]) {
      const run = spawnSync(process.execPath, [join(root, ".build", file)], {
        cwd: root,
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

describe("a start that fails", () => {
  it("leaves no database behind", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "signal-port-"));
    chmodSync(dataDir, 0o755);
    const holder = createServer().listen(0);
    const address = holder.address();
    const port = typeof address === "object" && address ? address.port : 0;
    try {
      await expect(
        startProcess("server.mjs", { DATA_DIR: dataDir, PORT: String(port) }, port, () => false),
      ).rejects.toThrow("EADDRINUSE");
      expect(existsSync(join(readCluster(dataDir)?.dataDir ?? "", "postmaster.pid"))).toBe(false);
    } finally {
      holder.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe("a start that is told to stop", () => {
  const node = process.execPath;
  const server = [node, join(root, ".build/server.mjs")];
  const clusterIsMade = (dataDir: string) =>
    ["postgres.unfinished", "postgres"].some((folder) => existsSync(join(dataDir, folder, "PG_VERSION")));
  const databaseRuns = (dataDir: string) => existsSync(join(dataDir, "postgres/postmaster.pid"));
  const listens = (_dataDir: string, output: string) => output.includes('"listening"');
  it.each([
    ["the server, while its cluster is made", server, clusterIsMade],
    ["the server, before it listens", server, databaseRuns],
    ["the server, while its schema is made", server, listens],
    ["the worker", [node, join(root, ".build/worker.mjs")], databaseRuns],
    ["npm start", ["npm", "start"], databaseRuns],
    ["npm run dev", ["npm", "run", "dev"], databaseRuns],
    ["a command", [node, "--import", "tsx", "lib/commands/engine.ts", "tick"], databaseRuns],
  ])("leaves no database behind: %s", { timeout: 90_000 }, async (_what, [file = "", ...args], isMoment) => {
    const dataDir = temporaryDirectory("signal-early-stop-");
    const child = spawn(file, args, {
      cwd: root,
      // Next's types demand a NODE_ENV of every environment.
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATA_DIR: dataDir,
        PORT: String(await freePort()),
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
    // Also of the processes behind npm: they hold its output open.
    await ended;
    const left = databaseRuns(dataDir);
    if (left) await (await startEmbeddedDatabase(dataDir)).stop();
    expect(left, output).toBe(false);
    expect(readdirSync(dataDir)).not.toContain("postgres.lock");
  });
});
