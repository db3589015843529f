import { ADMIN_SECRET } from "@/tests/support/database";
import { type ClosedLoopTask, runClosedLoop } from "./load";
import {
  type ReferenceServer,
  startBareHttpServer,
  startBareNextHandler,
  startFastApiServer,
} from "./reference-servers";
import { type BenchService, ingestScan, makeKeys, startBenchService } from "./service";

const CONNECTIONS = 64;
const SECONDS = 8;
const KEYS = 20_000;
const ROUNDS = 3;

/**
 * Measures `GET /api/scan` with 20,000 keys in rotation, which the server looks up in PostgreSQL, also with conditional
 * requests. Compares it with the same bytes from `node:http`, from a bare Next handler and, if installed, from FastAPI
 * with asyncpg. Server, database and load share the machine. Medians of three alternating rounds.
 */
export async function benchScan(): Promise<string[]> {
  let service: BenchService | undefined;
  const floors: ReferenceServer[] = [];
  try {
    service = await startBenchService();
    await ingestScan(service.server, ADMIN_SECRET);
    const keys = await makeKeys(service.sql, KEYS, "pro");
    const first = await fetch(`${service.server.url}/api/scan`, {
      headers: { "X-API-Key": keys[0] ?? "" },
    });
    const body = await first.text();
    const raw = await startBareHttpServer(body);
    floors.push(raw);
    const written = await startBareHttpServer(body, true);
    floors.push(written);
    const next = await startBareNextHandler(body);
    floors.push(next);
    const peer = await startFastApiServer(body, service.databaseUrl);
    if (peer) floors.push(peer);
    const wanted = (url: string): ClosedLoopTask => ({
      url,
      connections: CONNECTIONS,
      seconds: SECONDS,
      keys,
    });
    const loads = new Map<string, ClosedLoopTask>([
      ["raw", wanted(raw.url)],
      ["written", wanted(written.url)],
      ["next", wanted(next.url)],
      ...(peer ? [["peer", wanted(peer.url)] as const] : []),
      ["unchanged", { ...wanted(`${service.server.url}/api/scan`), etag: first.headers.get("etag") ?? "" }],
      ["scan", wanted(`${service.server.url}/api/scan`)],
    ]);
    const results = new Map<string, Awaited<ReturnType<typeof runClosedLoop>>[]>();
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, one] of loads)
        results.set(name, [...(results.get(name) ?? []), await runClosedLoop(one)]);
    const middle = (name: string) => {
      const sorted = (results.get(name) ?? []).toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond);
      const found = sorted[Math.floor(sorted.length / 2)];
      if (!found) throw new Error("nothing was measured");
      return found;
    };
    const line = (label: string, name: string) => {
      const { requestsPerSecond, p50Ms, p99Ms, errors } = middle(name);
      return `${label.padEnd(30)} ${Math.round(requestsPerSecond).toString().padStart(7)} requests/s   p50 ${p50Ms.toFixed(2)} ms   p99 ${p99Ms.toFixed(2)} ms   errors ${errors}`;
    };
    const ratio = (name: string) =>
      (middle("scan").requestsPerSecond / middle(name).requestsPerSecond).toFixed(2);
    return [
      `${body.length} bytes, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s, ${middle("scan").generator}`,
      line("node:http, same bytes", "raw"),
      line("node:http, JSON written anew", "written"),
      line("bare Next route handler", "next"),
      peer
        ? line("FastAPI, asyncpg, uvicorn", "peer")
        : "FastAPI with asyncpg: left out, this machine's Python has not all of fastapi, asyncpg, uvicorn",
      line(`/api/scan, ${KEYS} keys`, "scan"),
      line("/api/scan, nothing new: 304", "unchanged"),
      `/api/scan against node:http: ${ratio("raw")}, writing its JSON: ${ratio("written")}; against bare Next: ${ratio("next")}${peer ? `, against FastAPI: ${ratio("peer")}` : ""}; 200s against 304s: ${ratio("unchanged")}`,
    ];
  } finally {
    for (const floor of floors) await floor.stop();
    await service?.stop();
  }
}
