import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { abortSignalWithTimeout } from "@/lib/runtime/abort-signal-with-timeout";

it("a limited signal aborts with its parent signal, even if that has already aborted", () => {
  const outer = new AbortController();
  const { limited } = abortSignalWithTimeout(outer.signal, 10_000);
  expect(limited.aborted).toBe(false);
  outer.abort();
  expect(limited.aborted).toBe(true);
  expect(abortSignalWithTimeout(outer.signal, 10_000).limited.aborted).toBe(true);
});

it("a limited signal aborts after its time, unless it was released", async () => {
  const { signal } = new AbortController();
  const late = abortSignalWithTimeout(signal, 30);
  const released = abortSignalWithTimeout(signal, 30);
  released.release();
  await new Promise((done) => setTimeout(done, 80));
  expect([late.limited.aborted, released.limited.aborted, signal.aborted]).toEqual([true, false, false]);
});

it("limited signals can be created many times from one parent without a warning", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  const { signal } = new AbortController();
  const followers = Array.from({ length: 50 }, () => abortSignalWithTimeout(signal, 10_000));
  await new Promise((done) => setTimeout(done, 20));
  process.off("warning", note);
  for (const { release } of followers) release();
  expect(warnings).toEqual([]);
});

it("a released signal leaves no listener on its parent", () => {
  const { signal } = new AbortController();
  for (let n = 0; n < 100; n++) abortSignalWithTimeout(signal, 10_000).release();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
