import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCluster } from "@/db/embedded/address";
import { startEmbeddedDatabase } from "@/db/embedded/cluster";
import { signBody } from "@/lib/payments/signature";
import { ADMIN_SECRET, createDatabase, testEnvironment } from "@/tests/support/database";
import { sentMails } from "@/tests/support/sent-mail";
import { freePort, type RunningServer, startProcess, startServer, waitUntil } from "@/tests/support/server";
import { type TcpProxy, tcpProxy } from "@/tests/support/tcp-proxy";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Database {
  url: string;
  drop: () => Promise<void>;
}

const makeKey = async (server: RunningServer): Promise<string> => {
  const answer = await fetch(`${server.url}/admin/keys`, {
    method: "POST",
    headers: { "X-Admin-Secret": ADMIN_SECRET },
    body: JSON.stringify({ user_name: "Tester", plan_tier: "owner", rate_limit_per_min: 100_000 }),
  });
  expect(answer.status).toBe(201);
  return (await answer.json()).api_key;
};

/** Sends bytes over a socket of its own and gives back everything that came. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((done, fail) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1");
    });
    socket.on("error", fail);
    socket.on("close", () => done(answer));
  });
}

describe.sequential("the built server over a database of its own", () => {
  let database: Database;
  let server: RunningServer;
  let key: string;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer(database.url, { WORKER: "none", TRUST_PROXY_HOPS: "1" });
    key = await makeKey(server);
  });
  afterAll(async () => {
    await server.kill();
    await database.drop();
  });

  const logLines = () =>
    server
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));

  it("answers interface paths itself, with doubled and trailing slashes, and hands pages to Next", async () => {
    for (const path of ["/api/scan", "/api/scan/", "//api//scan//", "/api/scan/?_=1"]) {
      const answer = await fetch(`${server.url}${path}`, {
        headers: { "X-API-Key": key },
        redirect: "manual",
      });
      expect(answer.status, path).toBe(200);
      expect(await answer.json()).toMatchObject({ items: [] });
    }
    const page = await fetch(`${server.url}/`);
    expect(page.headers.get("content-type")).toContain("text/html");
    expect((await fetch(`${server.url}/no-such-page`)).headers.get("content-type")).toContain("text/html");
  });

  it("answers 404 in JSON under the interface, and as a page under /admin to a browser", async () => {
    for (const path of ["/api/x", "/webhooks/x", "/admin/x/y/z"]) {
      const answer = await fetch(`${server.url}${path}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: "not_found" });
    }
    const page = await fetch(`${server.url}/admin/x/y/z`, { headers: { Accept: "text/html" } });
    expect(page.status).toBe(404);
    expect(page.headers.get("content-type")).toContain("text/html");
  });

  it("takes no notice of the headers of server actions and middleware", async () => {
    const plain = await fetch(`${server.url}/`);
    const sly = await fetch(`${server.url}/`, {
      method: "POST",
      headers: {
        "Next-Action": "7f0000000000000000000000000000000000000000",
        "X-Middleware-Subrequest": "middleware",
      },
      body: "[]",
    });
    expect(plain.status).toBe(200);
    expect(sly.status).toBe(405);
    const get = await fetch(`${server.url}/`, {
      headers: { "Next-Action": "x", "x-middleware-subrequest": "src/middleware" },
    });
    // Each answer has a nonce of its own; all the rest is the same page.
    const withoutNonces = async (page: Response) => (await page.text()).replaceAll(/nonce="[^"]*"/g, "");
    expect(await withoutNonces(get)).toBe(await withoutNonces(plain));
  });

  it("takes forms at handlers and nowhere else", async () => {
    for (const path of ["/", "/login", "/portal", "/no-such-page"]) {
      const form = new FormData();
      form.set("$ACTION_ID_7f", "");
      const answer = await fetch(`${server.url}${path}`, { method: "POST", body: form, redirect: "manual" });
      expect(answer.status, path).toBe(405);
      expect(answer.headers.get("allow")).toBe("GET, HEAD");
      expect(await answer.json()).toMatchObject({ code: "method_not_allowed" });
    }
    const signIn = await fetch(`${server.url}/login/request-link`, {
      method: "POST",
      headers: { "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams({ email: "nobody@example.com" }),
      redirect: "manual",
    });
    expect(signIn.status).toBe(303);
  });

  it("counts failures by the address that the trusted proxy saw, whatever a client claims", async () => {
    const attempt = (forwarded: string, extra: Record<string, string> = {}) =>
      fetch(`${server.url}/admin/keys`, {
        headers: { "X-Admin-Secret": "wrong", "X-Forwarded-For": forwarded, ...extra },
      }).then((answer) => answer.status);
    const statuses = [];
    for (let n = 0; n < 12; n++) {
      // A client that invents an address further left and stamps itself.
      statuses.push(await attempt(`10.9.9.${n}, 203.0.113.50`, { "X-Client-Address": `10.8.8.${n}` }));
    }
    expect(statuses).toEqual([...Array(10).fill(403), 429, 429]);
    expect(await attempt("203.0.113.51")).toBe(403);
  });

  it("serves HTTP/1.0 without a Host header, and closes", async () => {
    const answer = await raw(server.port, `GET /api/scan HTTP/1.0\r\nX-API-Key: ${key}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.[01] 200 /);
    expect(answer).toContain('{"items":[]');
  });

  it("answers who offers another protocol like anyone else, also after a page was made", async () => {
    expect((await fetch(`${server.url}/docs`)).status).toBe(200);
    for (const path of ["/api/health", "/docs", "/_next/webpack-hmr"]) {
      for (const protocol of ["websocket", "h2c"]) {
        const answer = await raw(
          server.port,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: ${protocol}\r\n` +
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        );
        expect(answer, `${path} ${protocol}`).toMatch(/^HTTP\/1\.1 (200|503|404) /);
      }
    }
  });

  it("answers Expect: 100-continue", async () => {
    const body = '{"ticket":1,"symbol":"EURUSD","timeframe":"H1","signal":"BUY"}\0';
    const answer = await raw(
      server.port,
      `POST /api/executions HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue/);
    expect(answer).toContain("HTTP/1.1 201 Created");
  });

  it("answers clients that offer another protocol, before and after the first page", async () => {
    const offer = `GET /api/scan HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`;
    for (let i = 0; i < 2; i++) {
      expect(await raw(server.port, offer)).toMatch(/^HTTP\/1\.1 200 /);
      await fetch(`${server.url}/`);
    }
  });

  it("answers 400 to a path that is no encoding of text, wherever it leads", async () => {
    for (const path of ["/portal/signals/%zz/H1", "/admin/mail/%ff", "/api/auth/%C3%28", "/docs/%"]) {
      expect(await raw(server.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 400 /,
      );
    }
  });

  it("answers 400 or 404 and goes on when what comes is no request", async () => {
    for (const text of [
      "nonsense\r\n\r\n",
      "GET /api/scan%zz HTTP/1.1\r\nHost: x y\r\nConnection: close\r\n\r\n",
    ]) {
      expect(await raw(server.port, text)).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    expect((await fetch(`${server.url}/api/health`)).headers.get("x-request-id")).toBeTruthy();
  });

  it("refuses a body of 10 MiB with 413 without reading it", async () => {
    const answer = await new Promise<number>((done, fail) => {
      const sent = request(
        `${server.url}/api/executions`,
        { method: "POST", headers: { "X-API-Key": key, "Content-Length": 10 * 1024 * 1024 } },
        (response) => {
          response.resume();
          done(response.statusCode ?? 0);
          sent.destroy();
        },
      );
      sent.on("error", fail);
      sent.write("{");
    });
    expect(answer).toBe(413);
  });

  it("logs one JSON line a request with the path's template, and neither key nor secret", async () => {
    await fetch(`${server.url}/api/signals/EURUSD/H1?limit=5`, {
      headers: { "X-API-Key": key, "X-Request-Id": "trace-me-1234" },
    });
    await waitUntil(async () => logLines().some((line) => line.requestId === "trace-me-1234"), 3_000);
    const lines = logLines().filter((line) => line.requestId === "trace-me-1234");
    expect(lines).toEqual([
      {
        level: "info",
        time: expect.any(String),
        requestId: "trace-me-1234",
        method: "GET",
        route: "/api/signals/{symbol}/{tf}",
        status: 200,
        ms: expect.any(Number),
        keyId: expect.any(Number),
        subscriptionId: expect.any(Number),
        msg: "request",
      },
    ]);
    expect(server.output()).not.toContain(key);
    expect(server.output()).not.toContain(ADMIN_SECRET);
  });

  it("answers every request under way when it is told to stop, writes the last heartbeat, and exits 0", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 40 });
    const statuses: number[] = [];
    let refused = 0;
    let stopping = false;
    const ask = () =>
      new Promise<void>((done) => {
        const sent = request(
          `${server.url}/api/scan`,
          { agent, headers: { "X-API-Key": key } },
          (response) => {
            response.resume();
            response.on("end", () => {
              statuses.push(response.statusCode ?? 0);
              done();
            });
          },
        );
        // A connection that the stopping server does not take any more is no request under way.
        sent.on("error", () => {
          refused += stopping ? 0 : 1;
          done();
        });
        sent.end();
      });
    const clients = Array.from({ length: 20 }, async () => {
      while (!stopping) await ask();
    });
    await waitUntil(async () => statuses.length > 100, 10_000);
    // A slow report: half of its body is sent before the stop, half after.
    const body = '{"ticket":2,"symbol":"EURUSD","timeframe":"H1","signal":"BUY"}';
    const slow = new Promise<number>((done, fail) => {
      const sent = request(
        `${server.url}/api/executions`,
        { method: "POST", headers: { "X-API-Key": key, "Content-Length": body.length } },
        (response) => {
          response.resume();
          done(response.statusCode ?? 0);
        },
      );
      sent.on("error", fail);
      sent.write(body.slice(0, 20));
      setTimeout(() => sent.end(body.slice(20)), 1_000);
    });
    await waitUntil(async () => server.output().length > 0, 1_000);
    await new Promise((done) => setTimeout(done, 200));
    // Connections that carry no request: opened ahead, as browsers do, and with half a head.
    const bare = [connect(server.port, "127.0.0.1"), connect(server.port, "127.0.0.1")];
    for (const socket of bare) socket.on("error", () => undefined);
    await Promise.all(bare.map((socket) => new Promise((done) => socket.once("connect", done))));
    bare[1]?.write("GET /api/health HTTP/1.1\r\nHost:");
    const startedAt = performance.now();
    stopping = true;
    const code = await server.stop();
    expect(code).toBe(0);
    // Half a second of notice, two for heads on their way, the rest for what else there is to end.
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect(await slow).toBe(201);
    await Promise.all(clients);
    expect(refused).toBe(0);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const sql = postgres(database.url, { max: 1 });
    const [beat] = await sql`select sum(n_calls)::int as n from key_heartbeats`;
    await sql.end();
    expect(beat?.n).toBeGreaterThanOrEqual(statuses.length);
  });
});

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

describe("a database that is away", () => {
  it("at the start makes 503s within two seconds, and the service recovers by itself each time it is back", async () => {
    const database = await createDatabase();
    const upstream = new URL(database.url);
    const proxy = tcpProxy(await freePort(), { host: upstream.hostname, port: Number(upstream.port) });
    const through = new URL(database.url);
    through.port = String(proxy.port);
    const port = await freePort();
    const environment = {
      ...testEnvironment(through.href, { PORT: String(port), BASE_URL: `http://localhost:${port}` }),
      LOG_FILE: "",
      WORKER: "none",
    };
    const server = await startProcess("server.mjs", environment, port, (output) =>
      output.includes('"listening"'),
    );
    try {
      const health = async () => {
        const startedAt = performance.now();
        const answer = await fetch(`${server.url}/api/health`);
        expect(performance.now() - startedAt).toBeLessThan(2_000);
        return { status: answer.status, body: await answer.json() };
      };
      const scan = async (key: string) => {
        const startedAt = performance.now();
        const answer = await fetch(`${server.url}/api/scan`, { headers: { "X-API-Key": key } });
        expect(performance.now() - startedAt).toBeLessThan(4_000);
        return answer;
      };
      const away = await health();
      expect(away.status).toBe(503);
      expect(away.body).toMatchObject({
        status: "down",
        db: "unavailable",
        reasons: [expect.stringContaining("database")],
      });

      const unknown = "3f2a0000-0000-4000-8000-00000000c91b";
      const refused = await scan(unknown);
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ code: "key_unverifiable" });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);

      await proxy.open();
      await waitUntil(async () => (await scan(unknown)).status === 401, 15_000, server.output);
      const key = await makeKey(server);
      expect((await scan(key)).status).toBe(200);

      await proxy.cut();
      for (const answer of await Promise.all(Array.from({ length: 10 }, () => scan(key)))) {
        expect(answer.status).toBe(503);
      }
      await proxy.open();
      await waitUntil(async () => (await scan(key)).status === 200, 15_000, server.output);
      // Callers within a second share one reading, also one that failed.
      await waitUntil(async () => (await health()).body.db === "ok", 5_000);
      expect(server.output()).not.toContain('"status":500');
      expect(await server.stop()).toBe(0);
    } finally {
      await server.kill();
      await proxy.cut();
      await database.drop();
    }
  });
});

describe("a database that is there and dead", () => {
  let database: Database;
  let proxy: TcpProxy;
  let server: RunningServer;
  let key: string;
  const WEBHOOK_SECRET = "test-webhook-secret-0123456789";
  beforeAll(async () => {
    database = await createDatabase();
    const upstream = new URL(database.url);
    proxy = tcpProxy(await freePort(), { host: upstream.hostname, port: Number(upstream.port) });
    await proxy.open();
    const through = new URL(database.url);
    through.port = String(proxy.port);
    server = await startServer(through.href, { WORKER: "none", PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });
    key = await makeKey(server);
  });
  afterAll(async () => {
    await server.kill();
    await proxy.cut();
    await database.drop();
  });

  const delivery = JSON.stringify({ event: "payment.invoice_paid", data: { id: "i", status: "paid" } });
  const admin = { "X-Admin-Secret": ADMIN_SECRET };
  const ingest = (item: object) => ({
    method: "POST",
    headers: admin,
    body: JSON.stringify({ items: [item] }),
  });
  const slot = { symbol: "EURUSD", timeframe: "H1", ts: "2026-11-20T10:00:00Z" };
  /** A good request for every path that needs the database. */
  const requests = (): [string, RequestInit][] => {
    const keyed = { headers: { "X-API-Key": key } };
    return [
      ["/api/scan", keyed],
      ["/api/signals/EURUSD/H1", keyed],
      ["/api/history/predictions", keyed],
      [
        "/api/executions",
        { ...keyed, method: "POST", body: '{"ticket":1,"symbol":"EURUSD","timeframe":"H1","signal":"BUY"}' },
      ],
      ["/api/account/me", keyed],
      ["/api/account/signals", keyed],
      ["/api/account/executions", keyed],
      ["/api/account/regenerate-key", { ...keyed, method: "POST" }],
      ["/api/ea-status", keyed],
      ["/api/status", keyed],
      ["/api/performance", keyed],
      ["/api/calibration", keyed],
      ["/api/models", keyed],
      ["/api/public/stats", {}],
      ["/admin/keys", { headers: admin }],
      ["/admin/keys", { method: "POST", headers: admin, body: '{"user_name":"Nobody"}' }],
      ["/admin/keys/1", { method: "DELETE", headers: admin }],
      ["/admin/monitoring-data", { headers: admin }],
      ["/admin/ingest/candles", ingest({ ...slot, open: 1, high: 1, low: 1, close: 1 })],
      [
        "/admin/ingest/models",
        ingest({
          symbol: "EURUSD",
          tf_code: "H1",
          model_v: "m",
          auc_wf: 0.5,
          pf_wf: 1,
          is_active: true,
          trained_at: slot.ts,
        }),
      ],
      [
        "/admin/ingest/signals",
        ingest({
          ...slot,
          signal: "BUY",
          confidence: 1,
          prob_buy: 1,
          prob_sell: 0,
          prob_no: 0,
          regime: "RANGE",
          expected_rr: 1,
          model_v: "m",
        }),
      ],
      ["/admin/ingest/features", ingest({ ...slot, model_v: "m", values: { a: 1 } })],
      [
        "/webhooks/payment",
        {
          method: "POST",
          body: delivery,
          headers: { "x-signature": signBody(Buffer.from(delivery), WEBHOOK_SECRET) },
        },
      ],
    ];
  };
  const ask = async (path: string, init: RequestInit) => {
    const startedAt = performance.now();
    const answer = await fetch(`${server.url}${path}`, init);
    return { answer, body: await answer.json(), ms: performance.now() - startedAt };
  };
  const expectRefusals = async () => {
    // Callers within a second share one reading, also one of before.
    await waitUntil(async () => {
      const health = await ask("/api/health", {});
      expect(health.ms).toBeLessThan(2_000);
      return health.body.status === "down" && health.body.db === "unavailable";
    }, 5_000);
    const outcomes = await Promise.all(
      requests().map(async ([path, init]) => ({
        name: `${init.method ?? "GET"} ${path}`,
        ...(await ask(path, init)),
      })),
    );
    for (const { name, answer, body, ms } of outcomes) {
      expect({ name, status: answer.status }).toEqual({ name, status: 503 });
      expect(body).toMatchObject({
        detail: expect.any(String),
        code: expect.stringMatching(/unavailable|unverifiable/),
      });
      expect(Number(answer.headers.get("retry-after")), name).toBeGreaterThanOrEqual(1);
      expect(ms, name).toBeLessThan(8_000);
    }
  };
  /** The first try may still meet a connection of before; it is bounded, and the next one passes. */
  const expectRecovery = async () => {
    await waitUntil(
      async () => (await ask("/api/account/me", { headers: { "X-API-Key": key } })).answer.status === 200,
      10_000,
    );
    await waitUntil(async () => (await ask("/admin/keys", { headers: admin })).answer.status === 200, 10_000);
    expect((await ask("/admin/keys", { headers: admin })).body.count).toBe(1);
    await waitUntil(async () => (await ask("/api/health", {})).body.db === "ok", 5_000);
  };

  it.each(["hang-up", "silence"] as const)(
    "is answered with 503 in time on every path when it accepts connections and meets them with: %s",
    { timeout: 60_000 },
    async (welcome) => {
      await expectRecovery();
      proxy.welcome(welcome);
      await proxy.cut();
      await proxy.open();
      await expectRefusals();
      proxy.welcome("pass");
      await expectRecovery();
      expect(server.output()).not.toContain('"status":500');
    },
  );

  it("is left alone on connections that fell silent, and found again on new ones", {
    timeout: 60_000,
  }, async () => {
    await expectRecovery();
    // More than one connection of each pool is open.
    await Promise.all(Array.from({ length: 8 }, () => ask("/admin/keys", { headers: admin })));
    proxy.welcome("silence");
    proxy.silence();
    await expectRefusals();
    // The silent connections stay as they are: nobody ever says that they are dead.
    proxy.welcome("pass");
    await expectRecovery();
    expect(server.output()).not.toContain('"status":500');
  });
});

describe("a log on a full disk", () => {
  it.runIf(existsSync("/dev/full"))("ends neither server nor worker", async () => {
    const database = await createDatabase();
    const environment = { LOG_FILE: "/dev/full", MARKET_FEED: "off" };
    const server = await startServer(database.url, { ...environment, WORKER: "none" });
    const worker = await startProcess(
      "worker.mjs",
      { ...testEnvironment(database.url), ...environment },
      0,
      () => true,
    );
    const sql = postgres(database.url, { max: 1 });
    try {
      // More than one batch of lines.
      for (let n = 0; n < 100; n++) expect((await fetch(`${server.url}/api/models`)).status).toBe(401);
      await waitUntil(async () => (await sql`select 1 from health_probes`).length > 0, 20_000, worker.output);
      expect(await server.stop()).toBe(0);
      expect(await worker.stop()).toBe(0);
      expect(server.output() + worker.output()).not.toContain("ENOSPC");
    } finally {
      await server.kill();
      await worker.kill();
      await sql.end();
      await database.drop();
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

describe("the worker", () => {
  it("takes the lead again on a new connection when its own fell silent", { timeout: 60_000 }, async () => {
    const database = await createDatabase();
    const upstream = new URL(database.url);
    const proxy = tcpProxy(await freePort(), { host: upstream.hostname, port: Number(upstream.port) });
    await proxy.open();
    const through = new URL(database.url);
    through.port = String(proxy.port);
    const environment = { ...testEnvironment(through.href), LOG_FILE: "", MARKET_FEED: "off" };
    const worker = await startProcess("worker.mjs", environment, 0, (output) =>
      output.includes("the worker leads"),
    );
    try {
      proxy.silence();
      await waitUntil(
        async () => worker.output().split('"the worker leads"').length > 2,
        20_000,
        worker.output,
      );
      const sql = postgres(database.url, { max: 1 });
      await sql`delete from health_probes`;
      await waitUntil(async () => (await sql`select 1 from health_probes`).length > 0, 15_000, worker.output);
      await sql.end();
      expect(await worker.stop()).toBe(0);
    } finally {
      await worker.kill();
      await proxy.cut();
      await database.drop();
    }
  });

  it("runs apart from a server without one, leads alone, and hands over after kill -9", async () => {
    const database = await createDatabase();
    const sql = postgres(database.url, { max: 1 });
    const environment = { ...testEnvironment(database.url), LOG_FILE: "", MARKET_FEED: "off" };
    const startWorker = () =>
      startProcess("worker.mjs", environment, 0, (output) =>
        output.includes("the worker waits for its turn"),
      );
    const leads = (worker: RunningServer) => worker.output().includes('"the worker leads"');
    const first = await startWorker();
    await waitUntil(async () => leads(first), 5_000);
    const second = await startWorker();
    try {
      await waitUntil(async () => (await sql`select 1 from health_probes`).length > 0, 10_000, first.output);
      expect(leads(second)).toBe(false);
      await first.kill();
      await waitUntil(async () => leads(second), 10_000, second.output);
      expect(await second.stop()).toBe(0);
    } finally {
      await first.kill();
      await second.kill();
      await sql.end();
      await database.drop();
    }
  });
});

describe.sequential("the built server over the embedded database", () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), "signal-server-"));
    chmodSync(dataDir, 0o755);
  });
  afterAll(async () => {
    // Whatever a failed test left running must not outlive it.
    for (const server of started) await server.kill();
    const left = postmaster();
    if (left !== null) {
      process.kill(left, "SIGINT");
      await waitUntil(async () => postmaster() === null, 15_000);
    }
    rmSync(dataDir, { recursive: true, force: true });
  });

  const started: RunningServer[] = [];
  const start = async () => {
    const port = await freePort();
    const environment = { DATA_DIR: dataDir, PORT: String(port) };
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

  it("starts from nothing with a demo key shown once, survives kill -9, and stops with its database", {
    timeout: 90_000,
  }, async () => {
    const first = await start();
    const key = /Demo key, shown this once: (\S+)/.exec(first.output())?.[1] ?? "";
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    const scan = (server: RunningServer) =>
      fetch(`${server.url}/api/scan`, { headers: { "X-API-Key": key } });
    await waitUntil(async () => (await (await scan(first)).json()).items.length === 15, 30_000, first.output);
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

  it("starts its database again when that went down by itself", { timeout: 60_000 }, async () => {
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

  it("writes the mail of a new key", { timeout: 60_000 }, async () => {
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
