import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pickFreePort } from "@/db/embedded/cluster";
import { readCluster } from "@/db/embedded/cluster-file";
import { sentMails } from "@/tests/support/sent-mail";
import { type RunningServer, startProcess, waitUntil } from "@/tests/support/server";

describe("the server with the embedded database", () => {
  let dataDir: string;
  const emptyDataDir = () => {
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
    dataDir = mkdtempSync(join(tmpdir(), "signal-server-"));
    chmodSync(dataDir, 0o755);
  };
  beforeAll(emptyDataDir);
  // Stops the servers that a failed test left running.
  afterEach(async () => {
    for (const server of started.splice(0)) await server.kill();
    const left = postmaster();
    if (left !== null) {
      process.kill(left, "SIGINT");
      await waitUntil(async () => postmaster() === null, 15_000);
    }
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  const started: RunningServer[] = [];
  const start = async () => {
    const port = await pickFreePort();
    const environment = { DATA_DIR: dataDir, MARKET_FEED: "demo", PORT: String(port) };
    const server = await startProcess("server.mjs", environment, port, (output) =>
      output.includes("is ready at"),
    );
    started.push(server);
    return server;
  };
  const postmaster = () => {
    const cluster = readCluster(dataDir);
    try {
      const pid = Number(readFileSync(join(cluster?.dataDir ?? "", "postmaster.pid"), "utf8").split("\n")[0]);
      process.kill(pid, 0);
      return pid;
    } catch {
      return null;
    }
  };

  it("the server starts from nothing with a demo key shown once, survives kill -9, and stops with its database", {
    timeout: 90_000,
  }, async () => {
    emptyDataDir();
    const first = await start();
    const key = /Demo key, shown only once: (\S+)/.exec(first.output())?.[1] ?? "";
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    const scan = (server: RunningServer) =>
      fetch(`${server.url}/api/scan`, { headers: { "X-API-Key": key } });
    const isFull = async () => (await (await scan(first)).json()).items.length === 15;
    // Below a key's limit of 300 requests a minute.
    await waitUntil(isFull, 30_000, first.output, 250);
    await first.kill();

    const startedAt = performance.now();
    const second = await start();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(second.output()).not.toContain("Demo key");
    expect((await (await scan(second)).json()).items).toHaveLength(15);
    expect(postmaster()).not.toBeNull();
    const health = await (await fetch(`${second.url}/api/health`)).json();
    expect(health).toMatchObject({ status: "ok", total_active_slots: 15, reasons: null });

    expect(await second.stop()).toBe(0);
    expect(postmaster()).toBeNull();
  });

  it("the server restarts a database that stopped", { timeout: 60_000 }, async () => {
    const server = await start();
    const models = async () => {
      const answer = await fetch(`${server.url}/api/models`, { headers: { "X-API-Key": randomUUID() } });
      return answer.status;
    };
    expect(await models()).toBe(401);
    const first = postmaster() ?? 0;
    process.kill(first, "SIGQUIT");
    await waitUntil(async () => ![null, first].includes(postmaster()), 30_000, server.output);
    await waitUntil(async () => (await models()) === 401, 30_000, server.output);
    expect(await server.stop()).toBe(0);
    expect(postmaster()).toBeNull();
  });

  it("two servers with one DATA_DIR share the database, and the second starts it again when the first stops", {
    timeout: 90_000,
  }, async () => {
    const owner = await start();
    const first = postmaster();
    const other = await start();
    expect(postmaster()).toBe(first);
    expect(await owner.stop()).toBe(0);
    await waitUntil(async () => ![null, first].includes(postmaster()), 30_000, other.output);
    await waitUntil(
      async () => (await fetch(`${other.url}/api/health/ready`)).status === 200,
      30_000,
      other.output,
    );
    expect(await other.stop()).toBe(0);
    expect(postmaster()).toBeNull();
  });

  it("the server restarts the database after a crash of one of its processes", {
    timeout: 60_000,
  }, async () => {
    const server = await start();
    const first = postmaster() ?? 0;
    const children = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(first)], { encoding: "utf8" });
    const writer = Number(/^\s*(\d+) .*walwriter/m.exec(children)?.[1]);
    process.kill(writer, "SIGKILL");
    await waitUntil(async () => ![null, first].includes(postmaster()), 30_000, server.output);
    await waitUntil(
      async () => (await fetch(`${server.url}/api/health/ready`)).status === 200,
      30_000,
      server.output,
    );
    expect(await server.stop()).toBe(0);
  });

  it("the server writes the mail of a new key to the folder of sent mails", { timeout: 60_000 }, async () => {
    const server = await start();
    const { adminSecret } = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8"));
    const made = await fetch(`${server.url}/admin/keys`, {
      method: "POST",
      headers: { "X-Admin-Secret": adminSecret },
      body: JSON.stringify({ user_name: "Ada", email: "ada@example.test" }),
    });
    const { api_key } = await made.json();
    await waitUntil(async () => sentMails(dataDir).length === 1, 20_000, server.output);
    expect(sentMails(dataDir)[0]?.source).toContain(api_key);
    expect(await server.stop()).toBe(0);
  });
});
