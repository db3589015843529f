import { afterEach, beforeEach, expect, vi } from "vitest";

// An unexpected console.error is a failure: a test that expects one spies on it and restores it.
let consoleError: ReturnType<typeof vi.spyOn> | undefined;

beforeEach(() => {
  consoleError = vi.spyOn(console, "error");
});

afterEach(() => {
  const calls = consoleError?.mock.calls ?? [];
  consoleError?.mockRestore();
  expect(calls, "nothing is written to console.error").toEqual([]);
});
