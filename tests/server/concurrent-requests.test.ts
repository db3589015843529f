import { existsSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_SECRET, createDatabase } from "@/tests/support/database";
import { hasRedis, type RunningRedis, startRedis } from "@/tests/support/redis";
import { type RunningServer, startServer, waitUntil } from "@/tests/support/server";

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
  json: any;
  ms: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const built = existsSync(join(import.meta.dirname, "../../.build/server.mjs"));
if (!built)
  process.stdout.write("the server has not been built: its tests are skipped (npm test builds it)\n");
const withRedis = hasRedis();

let database: Awaited<ReturnType<typeof createDatabase>>;
let redis: RunningRedis | null = null;
let servers: RunningServer[] = [];

function send(
  server: RunningServer,
  method: string,
  path: string,
  key?: string,
  body?: unknown,
): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((done, fail) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const outgoing = request(
      `${server.url}${path}`,
      {
        method,
        agent,
        headers: {
          ...(key ? { "X-API-Key": key } : {}),
          ...(path.startsWith("/admin") ? { "X-Admin-Secret": ADMIN_SECRET } : {}),
          ...(text ? { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) } : {}),
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () =>
          done({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            json: JSON.parse(Buffer.concat(chunks).toString() || "null"),
            ms: performance.now() - startedAt,
          }),
        );
      },
    );
    outgoing.on("error", fail);
    outgoing.end(text);
  });
}

async function newKey(rateLimit: number): Promise<string> {
  const body = { user_name: "Racer", plan_tier: "pro", rate_limit_per_min: rateLimit };
  return (await send(servers[0]!, "POST", "/admin/keys", undefined, body)).json.api_key;
}

/** Extra time for a single wait on a busy machine. */
const BUSY_MS = 300;

const middle = (sorted: number[]) => sorted[Math.floor(sorted.length / 2)] ?? 0;

/** The server for the i-th request: requests alternate between the servers. */
const serverOf = (i: number) => servers[i % servers.length]!;

describe.runIf(built)("two server processes over one database", () => {
  beforeAll(async () => {
    database = await createDatabase();
    redis = withRedis ? await startRedis() : null;
    const extra: Record<string, string> = redis ? { REDIS_URL: redis.url } : {};
    servers = [
      await startServer(database.url, extra),
      await startServer(database.url, { ...extra, WORKER: "none" }),
    ];
  }, 90_000);

  afterAll(async () => {
    agent.destroy();
    await Promise.all(servers.map((server) => server.stop()));
    await redis?.stop();
    await database?.drop();
  }, 60_000);

  it("two servers store one row and answer one `created` for 200 identical concurrent reports", async () => {
    const key = await newKey(100_000);
    const report = { ticket: 77, symbol: "EURUSD", timeframe: "H1", signal: "BUY", pnl: 1 };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => send(serverOf(i), "POST", "/api/executions", key, report)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(answers.filter(({ json }) => json.action === "created")).toHaveLength(1);
    expect(new Set(answers.map(({ json }) => json.exec_id)).size).toBe(1);
    const { json } = await send(servers[0]!, "GET", "/api/account/executions", key);
    expect(json.summary.n_total).toBe(1);
  });

  it("two servers give no 200 after a rotation, and no 5xx, to 1,000 polls with the old key", {
    timeout: 60_000,
  }, async () => {
    const key = await newKey(100_000);
    let rotatedAt = Number.POSITIVE_INFINITY;
    let newest = "";
    const polls: { startedAt: number; answer: Answer }[] = [];
    const poll = async (i: number) => {
      const startedAt = performance.now();
      polls.push({ startedAt, answer: await send(serverOf(i), "GET", "/api/scan", key) });
    };
    const running: Promise<void>[] = [];
    for (let i = 0; i < 1_000; i++) {
      running.push(poll(i));
      if (i % 50 === 49) await new Promise((done) => setTimeout(done, 5));
      if (i === 500) {
        running.push(
          send(servers[0]!, "POST", "/api/account/regenerate-key", key).then(({ json }) => {
            rotatedAt = performance.now();
            newest = json.api_key;
          }),
        );
      }
    }
    await Promise.all(running);
    expect(polls.filter(({ answer }) => answer.status >= 500)).toEqual([]);
    const late = polls.filter(({ startedAt }) => startedAt > rotatedAt);
    expect(late.filter(({ answer }) => answer.status === 200)).toEqual([]);
    for (const { answer } of polls.filter(({ answer }) => answer.status === 401)) {
      expect(answer.json.code).toBe("key_rotated");
    }
    for (const server of servers) {
      expect((await send(server, "GET", "/api/scan", key)).json.code).toBe("key_rotated");
      expect((await send(server, "GET", "/api/scan", newest)).status).toBe(200);
    }
  });

  it.runIf(withRedis)("two servers share one rate limit, and answer the rest with Retry-After", async () => {
    const key = await newKey(300);
    const answers = await Promise.all(
      Array.from({ length: 600 }, (_, i) => send(serverOf(i), "GET", "/api/scan", key)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(300);
    for (const { headers } of answers.filter(({ status }) => status === 429)) {
      expect(Number(headers["retry-after"])).toBeGreaterThanOrEqual(1);
    }
    const report = { ticket: 1, symbol: "EURUSD", timeframe: "H1", signal: "BUY" };
    expect((await send(servers[1]!, "POST", "/api/executions", key, report)).status).toBe(201);
  });

  it.runIf(withRedis)(
    "two servers answer every poll with 200 and without delay while Redis fails and returns",
    { timeout: 60_000 },
    async () => {
      const key = await newKey(100_000);
      let answers: Answer[] = [];
      let stop = false;
      const callers = [0, 1, 2, 3].map(async (i) => {
        while (!stop) {
          answers.push(await send(serverOf(i), "GET", "/api/scan", key));
          await new Promise((done) => setTimeout(done, 5));
        }
      });
      /** The callers' results in this time. */
      const phase = async (ms: number) => {
        await new Promise((done) => setTimeout(done, ms));
        const seen = answers;
        answers = [];
        expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200]));
        return seen.map((answer) => answer.ms).sort((a, b) => a - b);
      };
      const before = await phase(500);
      await redis?.kill();
      const dying = await phase(600);
      const component = (await send(servers[0]!, "GET", "/api/status", key)).json.components.at(-1);
      expect(component).toMatchObject({ name: "rate_limit", status: "degraded" });
      const down = await phase(1_000);
      await redis?.restart();
      await waitUntil(async () => {
        const { json } = await send(servers[0]!, "GET", "/api/status", key);
        return json.components.at(-1).status === "ok";
      }, 15_000);
      await phase(300);
      stop = true;
      await Promise.all(callers);
      // Other tests run on this machine, so only the delay added by Redis counts.
      const usual = before.at(-1) ?? 0;
      expect(dying.at(-1)).toBeLessThan(usual + 200 + BUSY_MS);
      expect(middle(down)).toBeLessThan(middle(before) + 50);
    },
  );
});
