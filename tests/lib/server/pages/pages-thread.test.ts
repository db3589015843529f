import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { PageRequest } from "@/lib/runtime/page-request";
import { inEach, inEachProcess } from "@/lib/runtime/processes";
import { sendFailure } from "@/lib/server/pages/failed-page";
import { PagesThread } from "@/lib/server/pages/pages-thread";
import { useDatabase } from "@/tests/support/database";

useDatabase();

// A thread that speaks as the real one does and makes pages as these tests want them. The real one is tried by every test
// that starts the built server.
const ENTRY = `
import { createServer } from "node:http";
import { parentPort, workerData, threadId } from "node:worker_threads";

const ANSWERS = {
  "make-page": ({ address }) =>
    address === "/broken"
      ? undefined
      : { status: 200, headers: { "x-thread": threadId }, isUnavailable: false, document: { pieces: [new Uint8Array([65])], deflated: [] } },
  "goes-on": () => true,
  "counted-for-test": () => 7,
  "counted-in-processes": () => 9,
};
parentPort.on("message", ({ asks = [], pages }) => {
  if (pages === "end") process.exit(0);
  const answers = asks.map(({ id, name, args }) => ({ id, value: ANSWERS[name]?.(...args) }));
  parentPort.postMessage({ sds: "processes", asks: [], answers });
});

let nGone = 0;
const server = createServer((request, response) => {
  if (request.url === "/dies") process.exit(3);
  if (request.url === "/has-no-end") for (;;);
  if (request.url === "/breaks-off") {
    response.writeHead(200, { "Content-Length": 10 });
    response.write("five.");
    return setTimeout(() => response.destroy(), 20);
  }
  if (request.url === "/never") return request.once("close", () => { nGone++; });
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const body = { url: request.url, method: request.method, headers: request.headers, body: Buffer.concat(chunks).toString(), nGone };
    response.writeHead(201, {
      "Content-Type": "application/json",
      "Set-Cookie": ["a=1", "b=2"],
      "X-Page-Learnt": JSON.stringify({ reader: { subscriptionId: 4 }, isUnavailable: false }),
    });
    response.end(JSON.stringify(body));
  });
});
server.listen(workerData.address, () => parentPort.postMessage({ pages: "listening" }));
`;

const folder = mkdtempSync(join(tmpdir(), "pages-test-"));
const entry = join(folder, "entry.mjs");
let pages: PagesThread;
let front: Server;
let port = 0;
const learnt: PageRequest[] = [];
beforeAll(async () => {
  writeFileSync(entry, ENTRY);
  pages = new PagesThread(pathToFileURL(entry), { everyMs: 100, stuckMs: 500 });
  front = createServer((request, response) => {
    const page = { template: "/docs", isUnavailable: false, reader: null };
    learnt.push(page);
    pages
      .answer(request, response, { page, isHandler: false, isPlain: true })
      .catch(() => sendFailure(response, true));
  });
  await new Promise<void>((done) => front.listen(0, "127.0.0.1", done));
  // Listening on a port, so the address is not a path.
  port = (front.address() as AddressInfo).port;
});
afterAll(async () => {
  front.closeAllConnections();
  front.close();
  await pages.stop();
  rmSync(folder, { recursive: true });
});

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

function ask(path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  return new Promise((done, fail) => {
    const method = body === undefined ? "GET" : "POST";
    const asked = httpRequest({ port, host: "127.0.0.1", path, method, headers }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += chunk;
      });
      answer.on("end", () => done({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }));
      answer.on("error", fail);
    });
    asked.on("error", fail);
    asked.end(body);
  });
}

describe("what is handed to the thread that makes pages", () => {
  it("arrives whole, and its answer comes back whole, without what the two tell each other", async () => {
    const answer = await ask("/login/by-key?x=1", { cookie: "theme=dark", te: "trailers" }, "api_key=1");
    const seen = JSON.parse(answer.body);
    expect(seen).toMatchObject({ url: "/login/by-key?x=1", method: "POST", body: "api_key=1" });
    expect(seen.headers).toMatchObject({ cookie: "theme=dark", host: `127.0.0.1:${port}` });
    expect(seen.headers.te).toBeUndefined();
    expect(JSON.parse(seen.headers["x-page-asked"])).toEqual({
      template: "/docs",
      isHandler: false,
      isPlain: true,
    });
    expect(answer.status).toBe(201);
    expect(answer.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    expect(answer.headers["x-page-learnt"]).toBeUndefined();
    expect(learnt.at(-1)).toMatchObject({ reader: { subscriptionId: 4 }, isUnavailable: false });
  });

  it("cannot be forged by a caller", async () => {
    const answer = await ask("/", {
      "x-page-asked": '{"template":"/admin","isHandler":true,"isPlain":false}',
    });
    expect(JSON.parse(JSON.parse(answer.body).headers["x-page-asked"]).template).toBe("/docs");
  });

  it("is called off when its caller goes", async () => {
    const asked = httpRequest({ port, host: "127.0.0.1", path: "/never" });
    asked.on("error", () => undefined);
    asked.end();
    await new Promise((done) => setTimeout(done, 50));
    expect(JSON.parse((await ask("/")).body).nGone).toBe(0);
    asked.destroy();
    await vi.waitFor(async () => expect(JSON.parse((await ask("/")).body).nGone).toBe(1), 5_000);
  });

  it("that breaks off in the middle is broken off for the caller too", async () => {
    await expect(ask("/breaks-off")).rejects.toThrow();
    expect((await ask("/")).status).toBe(201);
  });
});

it("a thread that ends takes its pages along and nothing else: it is started again, and meanwhile pages are 503", async () => {
  expect((await ask("/dies")).status).toBe(503);
  const away = await ask("/");
  expect([away.status, away.headers["retry-after"]]).toEqual([503, "5"]);
  await expect(pages.make({ template: "/", address: "/", theme: "light" })).rejects.toMatchObject({
    code: "CONNECTION_CLOSED",
  });
  await vi.waitFor(async () => expect((await ask("/")).status).toBe(201), 5_000);
});

it("a page without end ends its thread, and the pages after it are made by the next", async () => {
  expect((await ask("/has-no-end")).status).toBe(503);
  await vi.waitFor(async () => expect((await ask("/")).status).toBe(201), 10_000);
});

describe("over its line the thread", () => {
  it("makes public pages, and says when it made none", async () => {
    const made = await pages.make({ template: "/", address: "/", theme: "light" });
    expect(made).toMatchObject({ status: 200, isUnavailable: false });
    expect([...(made.document.pieces[0] ?? [])]).toEqual([65]);
    await expect(pages.make({ template: "/", address: "/broken", theme: "light" })).rejects.toThrow();
  });

  it("is asked for its part of what all count, and not for what only processes count", async () => {
    await ask("/");
    expect(await inEach("counted-for-test", () => 1)()).toEqual([1, 7]);
    expect(await inEachProcess("counted-in-processes", () => 1)()).toEqual([1]);
  });
});
