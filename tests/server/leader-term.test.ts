import { expect, it, vi } from "vitest";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { startWorker } from "@/lib/server/worker";
import { useDatabase } from "@/tests/support/database";

useDatabase({ MARKET_FEED: "off" });

it("a leader's term that fails before its jobs start leaves no listener on the worker's signal", async () => {
  const added = vi.spyOn(AbortSignal.prototype, "addEventListener");
  const removed = vi.spyOn(AbortSignal.prototype, "removeEventListener");
  const read = vi.spyOn(settingsCache(), "get").mockRejectedValue(new Error("no settings"));
  const listeners = (calls: readonly unknown[][]) =>
    calls.map(([, listener]) => listener).filter((one) => one instanceof Function && one.name === "end");
  const stop = startWorker();
  try {
    await vi.waitFor(() => expect(read).toHaveBeenCalled(), 10_000);
    await vi.waitFor(() => expect(listeners(removed.mock.calls)).toHaveLength(1), 1_500);
    expect(listeners(removed.mock.calls)).toEqual(listeners(added.mock.calls));
  } finally {
    await stop();
    vi.restoreAllMocks();
  }
});
