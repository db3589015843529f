import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { constants, PerformanceObserver } from "node:perf_hooks";
import { setImmediate as turn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { clearingAway } from "@/lib/server/pages/clear-away";
import type { PageMaker } from "@/lib/server/pages/page-maker";

const VARIANT = { template: "/", address: "/", theme: "system" };
const MADE = {
  status: 200,
  headers: {},
  document: { pieces: [], gzipped: [] },
  isUnavailable: false,
} as never;

/** How Node tells of a collection of what is new that somebody asked for. */
const ASKED_FOR = {
  kind: constants.NODE_PERFORMANCE_GC_MINOR,
  flags: constants.NODE_PERFORMANCE_GC_FLAGS_FORCED,
};

/** A maker whose pages end when they are told to, and how often was cleared away behind it. */
function stage() {
  const ends: (() => void)[] = [];
  const wait = () => new Promise<void>((done) => ends.push(done));
  const inner: PageMaker = { answer: wait, make: () => wait().then(() => MADE) };
  const seen = { collections: 0 };
  const maker = clearingAway(inner, () => seen.collections++);
  const request = new IncomingMessage(new Socket());
  const ask = (isHandler: boolean) =>
    maker.answer(request, new ServerResponse(request), {
      page: { template: "/", isUnavailable: false, reader: null },
      isHandler,
      isPlain: false,
    });
  return { maker, ask, ends, seen };
}

describe("what pages leave behind", () => {
  it("is cleared away once the last of those under way has ended, and not before", async () => {
    const { maker, ask, ends, seen } = stage();
    const pages = [maker.make(VARIANT), ask(false)];
    ends[0]?.();
    await pages[0];
    await turn();
    expect(seen.collections).toBe(0);
    ends[1]?.();
    await pages[1];
    await turn();
    expect(seen.collections).toBe(1);
  });

  it("waits when the next page begins at once", async () => {
    const { maker, ends, seen } = stage();
    const first = maker.make(VARIANT);
    ends[0]?.();
    await first;
    const second = maker.make(VARIANT);
    await turn();
    expect(seen.collections).toBe(0);
    ends[1]?.();
    await second;
    await turn();
    expect(seen.collections).toBe(1);
  });

  it("is cleared away after a page that failed, and while a handler sends for hours", async () => {
    const seen = { collections: 0 };
    const failing: PageMaker = {
      answer: () => new Promise(() => undefined),
      make: () => Promise.reject(new Error("no page")),
    };
    const maker = clearingAway(failing, () => seen.collections++);
    const request = new IncomingMessage(new Socket());
    void maker.answer(request, new ServerResponse(request), {
      page: { template: "/portal/live", isUnavailable: false, reader: null },
      isHandler: true,
      isPlain: false,
    });
    await expect(maker.make(VARIANT)).rejects.toThrow("no page");
    await turn();
    expect(seen.collections).toBe(1);
  });

  it("is done by this process's own collector", async () => {
    const inner: PageMaker = { answer: async () => undefined, make: async () => MADE };
    const forced = new Promise((done) => {
      const observer = new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if ("detail" in entry && isDeepStrictEqual({ ...Object(entry.detail) }, ASKED_FOR))
            done(observer.disconnect());
      });
      observer.observe({ entryTypes: ["gc"] });
    });
    await clearingAway(inner).make(VARIANT);
    await expect(forced).resolves.toBeUndefined();
  });
});
