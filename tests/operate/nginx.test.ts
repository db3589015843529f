import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort, waitUntil } from "@/tests/support/server";
import { temporaryDirectory } from "@/tests/support/temporary-directory";

const NGINX = "/usr/sbin/nginx";
const deploy = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url)), "utf8");

// Left out where there is no nginx.
describe.skipIf(!existsSync(NGINX)).sequential("behind nginx with the example", () => {
  const folder = temporaryDirectory("signal-nginx-");
  let url: string;
  let stop: () => void;
  let replica: Server | null;
  const bodies: number[] = [];

  /** The example as it is, but for its ports, its certificate and the places of its files. */
  const configuration = (port: number, upstream: number, site = deploy("nginx.conf")) => {
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${folder}/${kind};`,
    );
    const here = site
      .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
      .replaceAll(/^ *ssl_certificate.*$/gm, "")
      .replaceAll("/var/log/nginx", folder)
      .replaceAll(/server 127\.0\.0\.1:\d+/g, `server 127.0.0.1:${upstream}`);
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;\nevents {}\nhttp { ${places.join(" ")}\n${here}\n}\n`,
    );
    return file;
  };

  beforeAll(async () => {
    const [port, upstream] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    replica = createServer(async (request, response) => {
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

  it("a body as large as the service takes arrives, and a larger one gets the interface's 413 every time", async () => {
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

  it("without a replica the interface gets its 503 and a page gets a sentence", async () => {
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

  it("writes no query and no referrer to a log", () => {
    const logs = readdirSync(folder).filter((name) => name.endsWith(".log"));
    const text = logs.map((name) => readFileSync(join(folder, name), "utf8")).join("");
    expect(text).toContain('"GET /login/confirm" 503');
    expect(text).not.toContain("canary");
  });

  it("takes the upstream for eight cores in place of its own", () => {
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
