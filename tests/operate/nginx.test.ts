import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pickFreePort } from "@/db/embedded/cluster";
import { waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const NGINX = "/usr/sbin/nginx";
/** Number of streams: more than Debian's default worker_connections allows. */
const STREAMS = 2_000;
const deploy = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url)), "utf8");

// Skipped without nginx.
describe.skipIf(!existsSync(NGINX)).sequential("nginx with the example configuration", () => {
  const folder = temporaryDirectory("signal-nginx-");
  let url: string;
  let stop: () => void;
  let replica: Server | null;
  const bodies: number[] = [];

  /** Writes deploy/nginx.conf, changed in ports, certificate and paths, to a file. Returns its path. */
  const configuration = (port: number, upstream: number, site = deploy("nginx.conf")) => {
    // The example's settings for nginx.conf itself.
    const main = [...site.matchAll(/^# {3}(.+)$/gm)].map(([, line]) => line).join("\n");
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    const here = site
      .replace("listen 80;", `listen unix:${folder}/port-80;`)
      .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
      .replaceAll(/^ *ssl_certificate.*$/gm, "")
      .replaceAll("/var/log/nginx", folder)
      .replaceAll(/server 127\.0\.0\.1:\d+/g, `server 127.0.0.1:${upstream}`);
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;\n${main}\nhttp { ${places.join(" ")}\n${here}\n}\n`,
    );
    return file;
  };

  beforeAll(async () => {
    const [port, upstream] = [await pickFreePort(), await pickFreePort()];
    url = `http://127.0.0.1:${port}`;
    replica = createServer(async (request, response) => {
      if (request.url === "/api/stream") return void response.write("event: status\n\n");
      let bytes = 0;
      for await (const piece of request) bytes += piece.length;
      bodies.push(bytes);
      response.end("taken");
    });
    await new Promise<void>((done) => replica?.listen(upstream, "127.0.0.1", done));
    const child = spawn(NGINX, ["-c", configuration(port, upstream), "-p", folder], { stdio: "ignore" });
    stop = () => child.kill("SIGTERM");
    await waitUntil(async () => (await fetch(url).catch(() => null)) !== null, 10_000);
  });
  afterAll(() => {
    stop();
    replica?.close();
  });

  const post = (path: string, bytes: number) =>
    fetch(`${url}${path}`, { method: "POST", body: Buffer.alloc(bytes, "a") });

  it("passes a body of the maximum size, and refuses a larger one with 413 in the API's format", async () => {
    for (const [path, limit] of [
      ["/api/executions", 64 * 1024],
      ["/webhooks/payment", 64 * 1024],
      ["/admin/settings/brand/logo", 160 * 1024],
      ["/admin/ingest/candles", 8 * 1024 * 1024],
    ] as const) {
      expect((await post(path, limit)).status, path).toBe(200);
      expect(bodies.at(-1)).toBe(limit);
      const taken = bodies.length;
      for (let n = 0; n < 20; n++) expect((await post(path, limit + 1)).status, path).toBe(413);
      expect(bodies.length).toBe(taken);
    }
    const answer = await post("/api/executions", 1_000_000);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(await answer.json()).toEqual({
      detail: expect.any(String),
      code: "body_too_large",
      request_id: answer.headers.get("x-request-id"),
    });
  });

  it("carries two thousand concurrent streams", async () => {
    const { hostname, port } = new URL(url);
    const open = () => {
      const socket = connect(Number(port), hostname);
      socket.write("GET /api/stream HTTP/1.1\r\nHost: signals.example.com\r\n\r\n");
      const first = new Promise<string>((done) => {
        socket.once("data", (bytes) => done(bytes.toString("latin1", 9, 12)));
        socket.once("error", (error) => done(error.message));
        socket.once("close", () => done("closed"));
      });
      return { socket, first };
    };
    const opened: ReturnType<typeof open>[] = [];
    const answers: string[] = [];
    while (opened.length < STREAMS) {
      const batch = Array.from({ length: 200 }, open);
      opened.push(...batch);
      answers.push(...(await Promise.all(batch.map(({ first }) => first))));
    }
    expect(answers.filter((status) => status !== "200")).toEqual([]);
    const alive = opened.filter(({ socket }) => !socket.destroyed);
    expect(alive).toHaveLength(STREAMS);
    for (const { socket } of opened) socket.destroy();
  });

  /** nginx's answer to these bytes. */
  const raw = (bytes: string) =>
    new Promise<string>((done) => {
      const { hostname, port } = new URL(url);
      const socket = connect(Number(port), hostname);
      let text = "";
      socket.on("data", (piece) => {
        text += piece.toString("latin1");
      });
      socket.on("close", () => done(text));
      socket.on("error", () => done(text));
      socket.write(bytes);
    });

  it("refuses malformed requests in the API's format", async () => {
    const host = "Host: signals.example.com\r\nConnection: close";
    for (const [bytes, status, code] of [
      ["no request at all\r\n\r\n", 400, "bad_request"],
      [`GET /api/scan HTTP/3.1\r\n${host}\r\n\r\n`, 400, "bad_request"],
      [`GET /api/scan HTTP/1.1\r\n${host}\r\nTransfer-Encoding: x\r\n\r\n`, 400, "bad_request"],
      [`GET /api/scan HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, "bad_request"],
      [`GET /api/scan HTTP/1.1\r\n${host}\r\nContent-Length: x\r\n\r\n`, 400, "bad_request"],
      [`GET /api/${"a".repeat(17_000)} HTTP/1.1\r\n${host}\r\n\r\n`, 431, "headers_too_large"],
      [`GET /api/scan HTTP/1.1\r\n${host}\r\nX-A: ${"a".repeat(17_000)}\r\n\r\n`, 431, "headers_too_large"],
      [`TRACE /api/scan HTTP/1.1\r\n${host}\r\n\r\n`, 405, "method_not_allowed"],
    ] as const) {
      const answer = await raw(bytes);
      expect(answer.slice(9, 12), bytes.slice(0, 60)).toBe(String(status));
      expect(answer).toMatch(/^content-type: application\/json/im);
      const [, id] = /^x-request-id: (\S+)/im.exec(answer) ?? [];
      const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
      expect(body).toEqual({ detail: expect.any(String), code, request_id: id });
    }
    // Headers of 15,000 bytes, which the service accepts, pass.
    const large = `GET /api/scan HTTP/1.1\r\n${host}\r\nX-A: ${"a".repeat(15_000)}\r\n\r\n`;
    expect((await raw(large)).slice(9, 12)).toBe("200");
  });

  it("redirects plain HTTP to HTTPS", async () => {
    const answer = await new Promise<IncomingMessage>((done, failed) =>
      get(
        {
          socketPath: join(folder, "port-80"),
          path: "/login/confirm?token=canary",
          headers: { Host: "signals.example.com" },
        },
        done,
      ).once("error", failed),
    );
    answer.resume();
    expect([answer.statusCode, answer.headers.location]).toEqual([
      301,
      "https://signals.example.com/login/confirm?token=canary",
    ]);
  });

  it("answers 503 when no replica is up: in the API's format to API paths, as plain text to pages", async () => {
    await new Promise((done) => {
      replica?.close(done);
      replica?.closeAllConnections();
    });
    replica = null;
    const answer = await fetch(`${url}/api/scan?secret=canary`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await answer.json()).toEqual({
      detail: expect.any(String),
      code: "unavailable",
      request_id: answer.headers.get("x-request-id"),
    });
    const page = await fetch(`${url}/login/confirm?token=canary`, {
      headers: { Referer: "https://a.test/?token=canary" },
    });
    expect([page.status, page.headers.get("content-type")]).toEqual([503, "text/plain"]);
  });

  it("logs no query string and no referrer", () => {
    const logs = readdirSync(folder).filter((name) => name.endsWith(".log"));
    const text = logs.map((name) => readFileSync(join(folder, name), "utf8")).join("");
    expect(text).toContain('"GET /login/confirm" 301');
    expect(text).toContain('"GET /login/confirm" 503');
    expect(text).not.toContain("canary");
  });

  it("accepts the configuration with the upstream block for eight cores", () => {
    const site = deploy("nginx.conf").replace(
      /^upstream .*?^}$/ms,
      deploy("nginx-upstream-eight-cores.conf"),
    );
    const { status, stderr } = spawnSync(NGINX, ["-t", "-c", configuration(1, 1, site), "-p", folder], {
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
  });
});
