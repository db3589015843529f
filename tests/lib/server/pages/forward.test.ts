import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { notePageReader, type PageRequest } from "@/lib/runtime/page-request";
import { forward, handedServer } from "@/lib/server/pages/forward";
import { localMaker } from "@/lib/server/pages/local-maker";
import { useDatabase } from "@/tests/support/database";

// The document of a failed page names the service, which is a setting.
useDatabase();

const folder = mkdtempSync(join(tmpdir(), "forward-test-"));
const address = join(folder, "pages.sock");
const pages = handedServer(
  localMaker((request, response) => {
    notePageReader({ subscriptionId: 11 });
    if (request.url === "/fails") throw new Error("a page that fails");
    if (request.url === "/refuses") {
      // As what reads bodies says it of one that is too long: at once, and what is still on its way is not read.
      response.statusCode = 413;
      response.setHeader("Connection", "close");
      response.end();
      return;
    }
    response.setHeader("Content-Type", "text/plain");
    response.end(`${request.headers.host ?? "no host"} ${request.headers["x-long"]?.length ?? 0}`);
  }),
);
let page: PageRequest = { template: "/docs", isUnavailable: false, reader: null };
const front: Server = createServer({ requireHostHeader: false }, (request, response) => {
  page = { template: "/docs", isUnavailable: false, reader: null };
  void forward(address, request, response, { page, isHandler: false, isPlain: false });
});
beforeAll(async () => {
  await new Promise<void>((done) => pages.listen(address, done));
  await new Promise<void>((done) => front.listen(0, "127.0.0.1", done));
});
afterAll(() => {
  for (const server of [front, pages]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true });
});

/** A form that is longer than what lies between two ends of a socket has room for. */
const LONG_FORM = "a".repeat(1_000_000);

/** Sends a head as it is and gives back all that comes. */
function exchange(head: string): Promise<string> {
  // Listening on a port, so the address is not a path.
  const { port } = front.address() as AddressInfo;
  return new Promise((done, fail) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(`${head}Connection: close\r\n\r\n`));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", fail);
    socket.on("close", () => done(text));
  });
}

it("a request without Host is handed on without one", async () => {
  const answer = await exchange("GET / HTTP/1.0\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toContain("no host 0");
});

it("a head as long as may come from outside is not too long inside", async () => {
  const long = "a".repeat(15_900);
  expect(await exchange(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n`)).toContain(`x ${long.length}`);
});

it("who was let in is learnt from the answer, and that a page failed is said as without a thread", async () => {
  await exchange("GET / HTTP/1.1\r\nHost: x\r\n");
  expect(page.reader).toEqual({ subscriptionId: 11 });
  const failed = await exchange("GET /fails HTTP/1.1\r\nHost: x\r\n");
  expect(failed).toMatch(/^HTTP\/1\.1 500 /);
  expect(failed).toContain("This page could not be made.");
  expect(failed.toLowerCase()).not.toContain("x-page-learnt");
});

it("a refusal that does not wait for the body arrives, however much of it is still on its way", async () => {
  // Listening on a port, so the address is not a path.
  const { port } = front.address() as AddressInfo;
  const statuses = new Map<number, number>();
  for (let n = 0; n < 100; n++) {
    const answer = await fetch(`http://127.0.0.1:${port}/refuses`, { method: "POST", body: LONG_FORM });
    await answer.arrayBuffer();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  }
  expect([...statuses]).toEqual([[413, 100]]);
});
