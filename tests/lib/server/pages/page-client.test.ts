import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { useDatabase } from "@/tests/support/database";
import { rawGetRequest, useHttpServer } from "@/tests/support/http-server";

useDatabase();

/** Time until the head of a stream. */
const HEAD_MS = 200;
/** Streams that the page process holds open. */
let streams = 0;
/** Answers that are held back. */
const held: (() => void)[] = [];
const running = useHttpServer({
  findPage: (path) => {
    if (path === "/login") return { template: path, kind: "page" };
    return path === "/live" ? { template: path, kind: "handler" } : null;
  },
  next: async (request, response) => {
    if (request.url === "/live") {
      streams++;
      response.once("close", () => streams--);
      await pause(HEAD_MS);
      response.writeHead(200, { "Content-Type": "text/event-stream" }).flushHeaders();
      return;
    }
    const answer = () => response.writeHead(200, { "Content-Type": "text/html" }).end("page");
    if (request.url?.includes("slow")) held.push(answer);
    else answer();
  },
});

it("one network has at most four pages in flight, and a shared page is still fetched meanwhile", async () => {
  const slow = Array.from({ length: 12 }, () => running.exchange(rawGetRequest("/login?slow")));
  await expect.poll(() => held.length).toBe(4);
  // Shared pages fetched by the HTTP server belong to no network.
  expect((await running.pages.fetchPage("/login", "system")).status).toBe(200);
  expect(held).toHaveLength(4);
  const release = setInterval(() => held.splice(0).map((answer) => answer()), 10);
  const statuses = (await Promise.all(slow)).map(({ status }) => status);
  clearInterval(release);
  expect(statuses).toEqual(Array(12).fill(200));
});

it.each([
  ["before the answer's head has come", 0],
  ["after the answer's head has come", 2 * HEAD_MS],
])("a stream ends when its client half-closes the connection %s", async (_when, afterMs) => {
  const socket = connect({ port: running.port, host: "127.0.0.1", allowHalfOpen: true }, () =>
    socket.write("GET /live HTTP/1.1\r\nHost: x\r\n\r\n"),
  );
  await expect.poll(() => streams).toBe(1);
  await pause(afterMs);
  socket.end();
  await expect.poll(() => streams, { timeout: 5_000 }).toBe(0);
  socket.destroy();
});
