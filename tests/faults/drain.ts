import { makeKeys, startBenchService } from "../bench/service";
import { startServer } from "../support/server";

const ROUNDS = 10;
const CALLERS = 16;

/** SIGTERM under load: every request that was taken is answered, and the process ends well within its 25 seconds. */
export async function drainUnderLoad(): Promise<string[]> {
  const service = await startBenchService();
  const [key = ""] = await makeKeys(service.sql, 1, "owner");
  await service.sql`update api_keys set rate_limit_per_min = 100000`;
  let slowestMs = 0;
  let answered = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startServer(service.databaseUrl, { LOG_LEVEL: "warn", WORKER: "none" });
    let stopping = false;
    const broken: string[] = [];
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!stopping) {
        const answer = await fetch(`${server.url}/api/scan`, { headers: { "X-API-Key": key } }).catch(
          (error) => {
            // Refused connections are the next address's business; what was taken must be answered.
            if (!/ECONNREFUSED/.test(String(error?.cause?.code ?? error?.cause)))
              broken.push(String(error?.cause ?? error));
            return null;
          },
        );
        if (answer) {
          await answer.arrayBuffer();
          answered++;
        } else if (stopping) return;
        else await new Promise((done) => setTimeout(done, 10));
      }
    });
    await new Promise((done) => setTimeout(done, 300));
    const from = performance.now();
    const code = await server.stop();
    slowestMs = Math.max(slowestMs, performance.now() - from);
    stopping = true;
    await Promise.all(callers);
    if (code !== 0) throw new Error(`the process ended with ${code}`);
    if (broken.length > 0) throw new Error(`requests were dropped: ${broken.slice(0, 3).join("; ")}`);
  }
  await service.stop();
  return [
    `${ROUNDS} stops under ${CALLERS} callers: ${answered} answers, 0 dropped, slowest stop ${Math.round(slowestMs)} ms`,
  ];
}
