import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Quota, RollingWindowLimiter } from "@/lib/access/limits/rolling-window";
import {
  connectRedis,
  connectUpstash,
  type RedisConnection,
} from "@/lib/access/limits/shared/redis-connection";
import { SharedLimiter } from "@/lib/access/limits/shared/shared-limiter";
import { testEnvironment } from "@/tests/support/database";
import { hasRedis, type RunningRedis, startRedis } from "@/tests/support/redis";
import { waitUntil } from "@/tests/support/server";

Object.assign(process.env, testEnvironment("postgres://unused/unused"));

/** Extra time in milliseconds for an answer on a machine that runs other tests. */
const BUSY_MS = 180;

const opened: { close(): void }[] = [];
const limiterOver = (connection: RedisConnection) => {
  const limiter = new SharedLimiter(connection, new RollingWindowLimiter());
  opened.push(limiter);
  return limiter;
};

afterEach(() => {
  for (const thing of opened.splice(0)) thing.close();
});

describe.runIf(hasRedis())("the rate limit in Redis", () => {
  let redis: RunningRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it("the limiter in Redis admits exactly the limit across three concurrent instances", async () => {
    const instances = [1, 2, 3].map(() => limiterOver(connectRedis(redis.url)));
    await Promise.all(instances.map((instance) => instance.redis.eval("return 1", [], [])));
    const quotas: Quota[] = [];
    for (let round = 0; round < 20; round++) {
      const calls = Array.from({ length: 45 }, (_, i) => instances[i % 3]!.take("read:1", 300));
      quotas.push(...(await Promise.all(calls)));
    }
    expect(instances.map((instance) => instance.state().healthy)).toEqual([true, true, true]);
    expect(quotas.filter(({ allowed }) => allowed)).toHaveLength(300);
    const refused = quotas.filter(({ allowed }) => !allowed);
    expect(new Set(refused.map(({ remaining }) => remaining))).toEqual(new Set([0]));
    for (const { resetSeconds } of refused) {
      expect(resetSeconds).toBeGreaterThanOrEqual(1);
      expect(resetSeconds).toBeLessThanOrEqual(60);
    }
  });

  it("the limiter in Redis keeps a caller's count when the limit changes", async () => {
    const limiter = limiterOver(connectRedis(redis.url));
    for (let i = 0; i < 10; i++) await limiter.take("read:2", 10);
    expect((await limiter.take("read:2", 5)).allowed).toBe(false);
    expect(await limiter.take("read:2", 12)).toMatchObject({ allowed: true, remaining: 1 });
  });

  it("the limiter answers nine of ten requests in time while Redis is down, and is healthy after Redis returns", {
    timeout: 30_000,
  }, async () => {
    const limiter = limiterOver(connectRedis(redis.url));
    await limiter.take("read:3", 1000);
    const slowest: number[] = [];
    let stop = false;
    const load = (async () => {
      while (!stop) {
        const startedAt = performance.now();
        await Promise.all([1, 2, 3].map(() => limiter.take("read:3", 100_000)));
        slowest.push(performance.now() - startedAt);
        await new Promise((done) => setTimeout(done, 2));
      }
    })();
    await redis.kill();
    await waitUntil(async () => !limiter.state().healthy, 5_000);
    slowest.length = 0;
    await new Promise((done) => setTimeout(done, 300));
    const whileDown = slowest.toSorted((a, b) => a - b)[Math.floor(slowest.length * 0.9)] ?? 0;
    await redis.restart();
    await waitUntil(async () => limiter.state().healthy, 15_000);
    stop = true;
    await load;
    expect(whileDown).toBeLessThan(BUSY_MS);
    expect((await limiter.take("read:3", 100_000)).allowed).toBe(true);
  });

  it("the limiter still admits requests while Redis refuses writes, and logs the failure once", {
    timeout: 30_000,
  }, async () => {
    const limiter = limiterOver(connectRedis(redis.url));
    const operator = new Redis(redis.url);
    opened.push({ close: () => operator.disconnect() });
    await limiter.take("read:6", 100);
    const lines = () => readFileSync(process.env.LOG_FILE ?? "", "utf8").split("does not answer").length - 1;
    const before = lines();
    await operator.config("SET", "min-replicas-to-write", "1");
    for (let i = 0; i < 35; i++) {
      expect((await limiter.take("read:6", 100)).allowed).toBe(true);
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(limiter.state().healthy).toBe(false);
    expect(lines() - before).toBe(1);
    await operator.config("SET", "min-replicas-to-write", "0");
    await waitUntil(async () => limiter.state().healthy, 5_000);
  });

  it("the limiter still refuses a caller who has used up the limit when Redis is killed", async () => {
    const limiter = limiterOver(connectRedis(redis.url));
    for (let i = 0; i < 5; i++) await limiter.take("read:4", 5);
    await redis.kill();
    expect((await limiter.take("read:4", 5)).allowed).toBe(false);
    await redis.restart();
  });

  // Repeated when the machine was so busy that an answer was late and this process counted locally.
  it("the limiter through the Upstash REST protocol admits five of eight requests at a limit of five", {
    retry: 3,
  }, async () => {
    const backend = connectRedis(redis.url);
    opened.push(backend);
    const server = createHttpServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", async () => {
        const [command, script, nKeys, ...rest] = JSON.parse(Buffer.concat(chunks).toString()) as string[];
        const keys = rest.slice(0, Number(nKeys));
        const args = rest.slice(Number(nKeys));
        try {
          const run = command?.toLowerCase() === "eval" ? backend.eval : backend.evalsha;
          response.end(JSON.stringify({ result: await run(script ?? "", keys, args) }));
        } catch (error) {
          response.statusCode = 400;
          response.end(JSON.stringify({ error: error instanceof Error ? error.message : "" }));
        }
      });
    });
    const url = await listen(server);
    const connection = connectUpstash({ url: `http://${url}`, token: "t" });
    // The first request of a process includes opening the connection.
    await connection.eval("return 1", [], []);
    const limiter = limiterOver(connection);
    const quotas = [];
    const identifier = `read:${randomUUID()}`;
    for (let i = 0; i < 8; i++) quotas.push(await limiter.take(identifier, 5));
    expect(quotas.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false, false, false]);
    expect(limiter.state().healthy).toBe(true);
    await new Promise((done) => server.close(done));
  });
});

describe("an unhealthy Redis", () => {
  it.each([
    ["swallows every byte", () => undefined],
    ["answers garbage", (socket: Socket) => socket.on("data", () => socket.write("nonsense\r\n"))],
    ["hangs up", (socket: Socket) => socket.destroy()],
    ["is read-only", (socket: Socket) => socket.on("data", () => socket.write("-READONLY no writes\r\n"))],
  ])(
    "a Redis that %s delays only the first request, by at most about 200 ms; the limiter then counts locally",
    async (_name, behave: (socket: Socket) => unknown) => {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on("error", () => undefined);
        behave(socket);
      });
      const address = await listen(server);
      const limiter = limiterOver(connectRedis(`redis://${address}`));
      const first = await timed(() => limiter.take("read:1", 3));
      const later = await timed(() => limiter.take("read:1", 3));
      expect(first.value.allowed).toBe(true);
      expect(first.ms).toBeLessThan(200 + BUSY_MS);
      expect(later.ms).toBeLessThan(BUSY_MS);
      expect(limiter.state().healthy).toBe(false);
      await limiter.take("read:1", 3);
      expect((await limiter.take("read:1", 3)).allowed).toBe(false);
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  );

  it("a Redis that does not listen delays a request by no more than about 200 ms", async () => {
    const limiter = limiterOver(connectRedis("redis://127.0.0.1:1"));
    expect((await timed(() => limiter.take("read:1", 3))).ms).toBeLessThan(200 + BUSY_MS);
  });
});

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const startedAt = performance.now();
  return { value: await work(), ms: performance.now() - startedAt };
}

function listen(server: Server): Promise<string> {
  return new Promise((done) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      done(`127.0.0.1:${typeof address === "object" && address ? address.port : 0}`);
    });
  });
}
