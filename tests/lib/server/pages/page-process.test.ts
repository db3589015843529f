import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { env } from "@/lib/runtime/env";
import { pageProcessMemory } from "@/lib/runtime/metrics";
import { serverProcedure } from "@/lib/runtime/server-rpc";
import { pageProcessFigures } from "@/lib/server/pages/page-figures";
import { PageProcess, pageSocketPath } from "@/lib/server/pages/page-process";
import { useDatabase } from "@/tests/support/database";
import { waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

useDatabase();

const directory = temporaryDirectory("page-process");
let started: PageProcess | null = null;
afterEach(() => started?.stop());

/** A page process that runs this program. */
function run(program: string, silentSeconds?: number): PageProcess {
  const file = join(directory, `${Math.random()}.mjs`);
  writeFileSync(file, program);
  started = new PageProcess(join(directory, "pages.sock"), pathToFileURL(file), silentSeconds);
  return started;
}

const LISTENING = 'process.send({ pages: "listening" });';
const BEAT = 'process.send({ pages: "beat", residentBytes: process.pid, heapBytes: 1 });';
const ENDS = 'process.on("SIGTERM", () => process.exit(0)).on("disconnect", () => process.exit(0));';

describe("the page process", () => {
  it("the page process is awaited until it listens, and sends figures with its heartbeats", async () => {
    const pages = run(`${ENDS} setTimeout(() => { ${LISTENING} ${BEAT} }, 300);`);
    await pages.whenUp();
    expect(pageProcessFigures().isUp).toBe(true);
    await waitUntil(async () => pageProcessFigures().heapBytes === 1, 2_000);
    expect(pageProcessMemory.rssBytes).toBe(pageProcessFigures().residentBytes);
    await pages.stop();
    expect(pageProcessFigures()).toMatchObject({ isUp: false, residentBytes: 0 });
    expect(pageProcessMemory.rssBytes).toBe(0);
  });

  it("the page process is restarted when it was killed", async () => {
    const pages = run(`${ENDS} ${LISTENING} ${BEAT}`);
    await pages.whenUp();
    await waitUntil(async () => pageProcessFigures().residentBytes > 0, 2_000);
    const first = pageProcessFigures().residentBytes;
    process.kill(first, "SIGKILL");
    await waitUntil(async () => ![0, first].includes(pageProcessFigures().residentBytes), 5_000);
  });

  it("the page process is unavailable while it cannot start, and waiting for it is refused at once", async () => {
    const pages = run("process.exit(3);");
    await expect(pages.whenUp()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    const startedAt = performance.now();
    await expect(pages.whenUp()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    // A silent start times out after fifteen seconds.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it("the page process is no longer up when it sends no heartbeat", async () => {
    const pages = run(`${LISTENING} ${BEAT} setTimeout(() => { for (;;); }, 50);`, 1);
    await pages.whenUp();
    await waitUntil(async () => !pageProcessFigures().isUp, 6_000);
  });

  it("the page process is not killed for a slow start", async () => {
    const pages = run(`${ENDS} setTimeout(() => { ${LISTENING} ${BEAT} }, 4_000);`, 1);
    await pages.whenUp();
    expect(pageProcessFigures().isUp).toBe(true);
  });

  it("the page process can call a procedure of the HTTP server over its channel", async () => {
    let asked: unknown[] = [];
    serverProcedure("page-process-test", (...args: unknown[]) => {
      asked = args;
    });
    const pages = run(
      `${ENDS} ${LISTENING} process.send({ channel: "question", id: 1, name: "page-process-test", args: [new Date(0)] });`,
    );
    await pages.whenUp();
    await waitUntil(async () => asked.length === 1, 2_000);
    expect(asked).toEqual([new Date(0)]);
  });

  it("the path of the page process's socket differs by port", () => {
    expect(pageSocketPath(env())).toBe(pageSocketPath({ ...env() }));
    expect(pageSocketPath({ ...env(), port: 1 })).not.toBe(pageSocketPath({ ...env(), port: 2 }));
  });
});
