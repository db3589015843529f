import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";

/** Loads the module again, as in a new process without a page process and without declared questions. */
async function load() {
  vi.resetModules();
  const { forgetProcessValue, processWide } = await import("@/lib/runtime/process-wide");
  forgetProcessValue(
    "server-rpc",
    processWide("server-rpc", () => ({})),
  );
  return import("@/lib/runtime/server-rpc");
}

/** A child process seen from the HTTP server, and the messages sent to it. */
function child() {
  const sent: unknown[] = [];
  const process = Object.assign(new EventEmitter(), {
    connected: true,
    send: (message: unknown) => sent.push(message),
  });
  return { process: process as unknown as ChildProcess, sent };
}

describe("a process without a page process", () => {
  test("a process without a page process runs a procedure itself", async () => {
    const { serverProcedure } = await load();
    const sum = serverProcedure("sum", (a: number, b: number) => a + b);
    expect(await sum(1, 2)).toBe(3);
  });
});

describe("the HTTP server", () => {
  test("the HTTP server answers a call with its value", async () => {
    const { serverProcedure, serveProcedures } = await load();
    serverProcedure("sum", async (a: number, b: number) => a + b);
    const { process, sent } = child();
    serveProcedures(process);
    process.emit("message", { channel: "question", id: 7, name: "sum", args: [1, 2] });
    await vi.waitFor(() => expect(sent).toEqual([{ channel: "reply", id: 7, answered: { value: 3 } }]));
  });

  test("the HTTP server replies without a value when the procedure throws or its name is unknown", async () => {
    const { serverProcedure, serveProcedures } = await load();
    serverProcedure("fails", () => {
      throw new Error("no");
    });
    const { process, sent } = child();
    serveProcedures(process);
    process.emit("message", { channel: "question", id: 1, name: "fails", args: [] });
    process.emit("message", { channel: "question", id: 2, name: "unknown", args: [] });
    process.emit("message", "not a question");
    await vi.waitFor(() =>
      expect(sent).toEqual([
        { channel: "reply", id: 1 },
        { channel: "reply", id: 2 },
      ]),
    );
  });
});

describe("the page process", () => {
  /** Joins the channel with a parent that answers by `reply`. */
  async function joined(reply: (question: { id: number }) => unknown) {
    const module = await load();
    const parent = new EventEmitter();
    const send = (question: unknown) => {
      const answer = reply(question as { id: number });
      if (answer !== undefined) parent.emit("message", answer);
    };
    module.forwardCallsToParent(Object.assign(parent, { send }));
    return module;
  }

  afterEach(() => vi.useRealTimers());

  test("the page process calls its parent and gets the value", async () => {
    const { serverProcedure } = await joined(({ id }) => ({ channel: "reply", id, answered: { value: 42 } }));
    expect(await serverProcedure("sum", () => 1)()).toBe(42);
  });

  test("the page process rejects with an error that makes the page 503 when the parent sends no value", async () => {
    const { isDatabaseUnavailable } = await import("@/lib/runtime/unavailable");
    const { serverProcedure } = await joined(({ id }) => ({ channel: "reply", id }));
    const failure = await serverProcedure("sum", () => 1)().catch((error: unknown) => error);
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  test("a call from the page process to the HTTP server fails with DEADLINE after a second without a reply", async () => {
    const { serverProcedure } = await joined(() => undefined);
    vi.useFakeTimers();
    const failure = serverProcedure("sum", () => 1)().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await failure).toMatchObject({ code: "DEADLINE" });
  });
});
