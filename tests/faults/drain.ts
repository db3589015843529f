import { readFileSync } from "node:fs";
import { join } from "node:path";
import { makeKeys, startBenchService } from "@/tests/bench/service";
import type { RunOptions } from "@/tests/support/run-named";
import { startServer } from "@/tests/support/server";

const ROUNDS = 5;
const CALLERS = 16;

/**
 * Sends SIGTERM under load. Every request that the server accepted, according to its log, must be answered, and the
 * process must exit with 0. Connections still in the accept queue do not count: the server read nothing from them, and
 * clients try the next address.
 */
export async function drainUnderLoad(options: RunOptions): Promise<string[]> {
  const rounds = options.rounds ?? ROUNDS;
  const service = await startBenchService();
  const [key = ""] = await makeKeys(service.sql, 1, "owner");
  await service.sql`update api_keys set rate_limit_per_min = 100000`;
  let slowestMs = 0;
  let total = 0;
  for (let round = 0; round < rounds; round++) {
    const logFile = join(process.env.TEST_DIRECTORY ?? ".", `drain-${round}.log`);
    const server = await startServer(service.databaseUrl, { LOG_FILE: logFile, WORKER: "none" });
    let stopping = false;
    let answered = 0;
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!stopping) {
        const answer = await fetch(`${server.url}/api/scan`, { headers: { "X-API-Key": key } }).catch(
          () => null,
        );
        if (!answer) await new Promise((done) => setTimeout(done, 10));
        else if ((await answer.text()) !== "") answered++;
      }
    });
    await new Promise((done) => setTimeout(done, 300));
    const from = performance.now();
    const code = await server.stop();
    slowestMs = Math.max(slowestMs, performance.now() - from);
    stopping = true;
    await Promise.all(callers);
    if (code !== 0) throw new Error(`the process ended with ${code}`);
    const taken = readFileSync(logFile, "utf8").split('"route":"/api/scan"').length - 1;
    if (taken !== answered) throw new Error(`${taken} requests were accepted, ${answered} answered`);
    total += answered;
  }
  await service.stop();
  return [
    `${rounds} stops under ${CALLERS} callers: ${total} requests accepted and answered, 0 lost, slowest stop ${Math.round(slowestMs)} ms`,
  ];
}
