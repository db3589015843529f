import { afterEach, beforeEach, expect, vi } from "vitest";

// An unexpected console.error fails the test; a test that expects one spies on it and restores it. With parallel
// tests, every running test fails.
let consoleError: ReturnType<typeof vi.spyOn> | undefined;
let running = 0;

beforeEach(() => {
  if (running++ === 0) consoleError = vi.spyOn(console, "error");
});

afterEach(() => {
  const calls = [...(consoleError?.mock.calls ?? [])];
  if (--running === 0) consoleError?.mockRestore();
  expect(calls, "nothing is written to console.error").toEqual([]);
});
