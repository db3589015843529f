import { ADMIN_SECRET } from "@/tests/support/database";
import { type Floor, startNextFloor, startRawFloor } from "./floors";
import { type Load, load } from "./load";
import { ingestScan, makeKeys, startBenchService } from "./service";

const CONNECTIONS = 64;
const SECONDS = 8;
const KEYS = 20_000;
const ROUNDS = 3;

/**
 * `GET /api/scan` with 20,000 keys in turn, each looked up in PostgreSQL on each request, against the same bytes from
 * `node:http` and from a bare Next handler. Server, database and load share the machine. Medians of three rounds in turn.
 */
export async function benchScan(): Promise<string[]> {
  const service = await startBenchService();
  const floors: Floor[] = [];
  try {
    await ingestScan(service.server, ADMIN_SECRET);
    const keys = await makeKeys(service.sql, KEYS, "pro");
    const first = await fetch(`${service.server.url}/api/scan`, { headers: { "X-API-Key": keys[0] ?? "" } });
    const body = await first.text();
    const raw = await startRawFloor(body);
    floors.push(raw);
    const written = await startRawFloor(body, true);
    floors.push(written);
    const next = await startNextFloor(body);
    floors.push(next);
    const loads: Record<string, Load> = {
      raw: { url: raw.url, connections: CONNECTIONS, seconds: SECONDS, keys },
      written: { url: written.url, connections: CONNECTIONS, seconds: SECONDS, keys },
      next: { url: next.url, connections: CONNECTIONS, seconds: SECONDS, keys },
      scan: { url: `${service.server.url}/api/scan`, connections: CONNECTIONS, seconds: SECONDS, keys },
    };
    const results: Record<string, Awaited<ReturnType<typeof load>>[]> = {
      raw: [],
      written: [],
      next: [],
      scan: [],
    };
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, wanted] of Object.entries(loads)) results[name]?.push(await load(wanted));
    }
    const middle = (name: string) => {
      const sorted = (results[name] ?? []).toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond);
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
      line(`/api/scan, ${KEYS} keys`, "scan"),
      `/api/scan against node:http: ${ratio("raw")}, writing its JSON: ${ratio("written")}; against bare Next: ${ratio("next")}`,
    ];
  } finally {
    for (const floor of floors) await floor.stop();
    await service.stop();
  }
}
