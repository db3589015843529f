import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quotaHeaders, RollingWindowLimiter } from "@/lib/access/limits/rolling-window";

const WINDOW_MS = 60_000;

describe("RollingWindowLimiter", () => {
  it("the limiter decides like a count of the accepted requests of the last 60 seconds, for any rhythm and limit", () => {
    const step = fc.record({
      waitMs: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 70_000 })),
      who: fc.constantFrom("a", "b"),
      limit: fc.constantFrom(1, 2, 7, 8, 9, 20),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const limiter = new RollingWindowLimiter();
        const accepted: Record<string, number[]> = { a: [], b: [] };
        let now = 1_000;
        for (const { waitMs, who, limit } of steps) {
          now += waitMs;
          const inWindow = accepted[who]!.filter((at) => at > now - WINDOW_MS);
          const quota = limiter.take(who, limit, now);
          expect(quota.allowed).toBe(inWindow.length < limit);
          if (quota.allowed) inWindow.push(now);
          accepted[who] = inWindow;
          expect(quota.remaining).toBe(Math.max(0, limit - inWindow.length));
          if (!quota.allowed) {
            // The next request passes at the promised time, and not a second earlier.
            const at = now + quota.resetSeconds * 1000;
            expect(inWindow.filter((t) => t > at - WINDOW_MS).length).toBeLessThan(limit);
            expect(inWindow.filter((t) => t > at - 1000 - WINDOW_MS).length).toBeGreaterThanOrEqual(
              quota.resetSeconds === 1 ? 0 : limit,
            );
          }
        }
      }),
    );
  });

  it("the limiter never admits more than the limit in any 60 seconds", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 400 }),
        (limit, waits) => {
          const limiter = new RollingWindowLimiter();
          const times: number[] = [];
          let now = 0;
          for (const wait of waits) {
            now += wait;
            if (limiter.take("x", limit, now).allowed) times.push(now);
          }
          for (const start of times) {
            expect(times.filter((at) => at >= start && at < start + WINDOW_MS).length).toBeLessThanOrEqual(
              limit,
            );
          }
        },
      ),
    );
  });

  it("the limiter with limit one admits the next request exactly 60 seconds after the last accepted one", () => {
    const limiter = new RollingWindowLimiter();
    expect(limiter.take("x", 1, 0).allowed).toBe(true);
    expect(limiter.take("x", 1, 59_999)).toMatchObject({ allowed: false, resetSeconds: 1 });
    expect(limiter.take("x", 1, 60_000).allowed).toBe(true);
  });

  it("the limiter with a lowered limit refuses until enough requests have left the 60-second window", () => {
    const limiter = new RollingWindowLimiter();
    for (let i = 0; i < 10; i++) limiter.take("x", 10, i * 1_000);
    // Ten requests at 0..9 s; with three allowed, the eighth of them (7 s) must leave the window.
    expect(limiter.take("x", 3, 10_000)).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 57 });
    expect(limiter.take("x", 3, 66_999).allowed).toBe(false);
    expect(limiter.take("x", 3, 67_000).allowed).toBe(true);
  });

  it("isExhausted reports a used-up limit until the window ends, without counting as a request", () => {
    const limiter = new RollingWindowLimiter();
    expect(limiter.isExhausted("x", 1, 0)).toBe(false);
    expect(limiter.take("x", 1, 0).allowed).toBe(true);
    expect(limiter.isExhausted("x", 1, 1)).toBe(true);
    expect(limiter.isExhausted("x", 1, 60_000)).toBe(false);
  });

  it("the limiter keeps at most the given number of callers and drops the least recent first", () => {
    const limiter = new RollingWindowLimiter(1_000);
    limiter.take("faithful", 2, 0);
    for (let i = 0; i < 5_000; i++) {
      limiter.take(`stranger-${i}`, 5, i);
      if (i % 50 === 0) limiter.take("faithful", 2, i);
      expect(limiter.size).toBeLessThanOrEqual(1_000);
    }
    expect(limiter.take("faithful", 2, 5_000).allowed).toBe(false);
  });

  it("the limiter forgets callers within two windows after their last request", () => {
    const limiter = new RollingWindowLimiter();
    for (let i = 0; i < 5_000; i++) limiter.take(`stranger-${i}`, 5, i);
    limiter.take("later", 5, WINDOW_MS);
    expect(limiter.size).toBe(5_001);
    limiter.take("latest", 5, 2 * WINDOW_MS);
    expect(limiter.size).toBe(2);
  });

  it("the limiter admits exactly 100,000 requests of one caller at a limit of 100,000", () => {
    const limiter = new RollingWindowLimiter();
    let allowed = 0;
    for (let i = 0; i < 100_000; i++) if (limiter.take("x", 100_000, i / 2).allowed) allowed++;
    expect(allowed).toBe(100_000);
    expect(limiter.take("x", 100_000, 50_000).allowed).toBe(false);
  });
});

describe("quotaHeaders", () => {
  it("quotaHeaders returns both rate-limit header formats, and Retry-After only on a refusal", () => {
    expect(quotaHeaders({ allowed: true, limit: 300, remaining: 287, resetSeconds: 41 })).toEqual({
      "X-RateLimit-Limit": "300",
      "X-RateLimit-Remaining": "287",
      "X-RateLimit-Reset": "41",
      "RateLimit-Policy": '"default";q=300;w=60',
      RateLimit: '"default";r=287;t=41',
    });
    expect(quotaHeaders({ allowed: false, limit: 30, remaining: 0, resetSeconds: 9 })).toHaveProperty(
      "Retry-After",
      "9",
    );
  });
});
