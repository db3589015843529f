import { setTimeout as pause } from "node:timers/promises";
import { ADMIN_SECRET } from "@/tests/support/database";
import type { RunOptions } from "@/tests/support/run-named";
import { startServer } from "@/tests/support/server";
import { runClosedLoop, runOpenLoop } from "./load";
import { childProcessesMb, MemorySamples, residentMb } from "./memory";
import { ingestScan, makeKeys, startBenchService } from "./service";

const KEYS = 20_000;
const CONNECTIONS = 64;
const POLLS = 1_000_000;
const MINUTES = 30;
const ROUND_SECONDS = 20;
const WANTED_MB = 250;
/** Wanted limit for the HTTP server and the page process together, in MB. */
const WANTED_TOGETHER_MB = 450;
const PAGES = ["/", "/record", "/login", "/docs/reference", "/status"];
const PAGE_VIEWS = 200;
const WANTED_START_S = 2;
/** Time until a process has loaded its modules. */
const SETTLED_MS = 15_000;

/**
 * Measures the time to the first answer of a built server, and its memory: when ready, after a million polls, during
 * half an hour (or `--minutes`) of polls at half of the rate reached before, and, with the page process, after 200 pages.
 * No worker runs.
 */
export async function benchFootprint({ minutes }: RunOptions): Promise<string[]> {
  const service = await startBenchService({ MARKET_FEED: "off", WORKER: "none" });
  try {
    const { url, pid } = service.server;
    const ready = residentMb(pid);
    await pause(SETTLED_MS);
    const settled = residentMb(pid);
    await ingestScan(service.server, ADMIN_SECRET);
    const keys = await makeKeys(service.sql, KEYS, "pro");
    await service.sql`update api_keys set rate_limit_per_min = 100000`;
    const firstAnswerMs = await timeOfFirstAnswer(service.databaseUrl, keys[0] ?? "");
    const polls = { url: `${url}/api/scan`, connections: CONNECTIONS, seconds: ROUND_SECONDS, keys };

    let [done, rounds] = [0, 0];
    for (; done < POLLS; rounds++) done += (await runClosedLoop(polls)).requestsPerSecond * ROUND_SECONDS;
    const afterPolls = residentMb(pid);

    const perSecond = Math.round(done / rounds / ROUND_SECONDS / 2);
    const memory = new MemorySamples(() => residentMb(pid));
    const untilMs = performance.now() + (minutes ?? MINUTES) * 60_000;
    let failed = 0;
    while (performance.now() < untilMs) {
      failed += (await runOpenLoop({ url: polls.url, perSecond, seconds: ROUND_SECONDS, keys })).errors;
      memory.note();
    }
    const askedAt = performance.now();
    await (await fetch(url)).arrayBuffer();
    const firstPageMs = performance.now() - askedAt;
    for (let n = 0; n < PAGE_VIEWS; n++)
      await (await fetch(`${url}${PAGES[n % PAGES.length]}`)).arrayBuffer();
    const together = residentMb(pid) + childProcessesMb(pid);
    const shown = (mb: number) => `${mb.toFixed(0)} MB`;
    return [
      `another process on this database answered its first poll ${(firstAnswerMs / 1_000).toFixed(2)} s after its start (wanted under ${WANTED_START_S})`,
      `ready: ${shown(ready)}, ${SETTLED_MS / 1_000} s later ${shown(settled)}; after ${Math.round(done)} polls: ${shown(afterPolls)} (wanted under ${WANTED_MB})`,
      `${minutes ?? MINUTES} min at ${perSecond} polls a second: ${memory.told()}; failed ${failed}`,
      `the first visitor of the landing page waited ${firstPageMs.toFixed(0)} ms`,
      `after ${PAGE_VIEWS} pages front and page process hold ${shown(together)} (wanted under ${WANTED_TOGETHER_MB})`,
    ];
  } finally {
    await service.stop();
  }
}

/** Milliseconds from the start of another server on this database until it answers a poll. */
async function timeOfFirstAnswer(databaseUrl: string, key: string): Promise<number> {
  const startedAt = performance.now();
  const server = await startServer(databaseUrl, { MARKET_FEED: "off", WORKER: "none" });
  try {
    const answer = await fetch(`${server.url}/api/scan`, { headers: { "X-API-Key": key } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`the first poll was answered with ${answer.status}`);
    return performance.now() - startedAt;
  } finally {
    await server.stop();
  }
}
