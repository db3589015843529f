import { afterEach, describe, expect, it, vi } from "vitest";
import * as client from "@/db/client";
import { removeOldAttempts } from "@/db/queries/attempt-counts";
import { type AttemptLimit, isAttemptLimitReached, recordAttempt } from "@/lib/access/limits/attempt-limits";
import { RollingWindowLimiter } from "@/lib/access/limits/rolling-window";
import { forgetProcessValue, processWide } from "@/lib/runtime/process-wide";
import { useDatabase } from "@/tests/support/database";

useDatabase();
const GUARD: AttemptLimit = { limit: 10, windowMs: 60_000 };

/** Replaces this process's limiter by an empty one, as in another replica. */
function becomeAnotherReplica() {
  const name = `guards-${GUARD.windowMs}`;
  forgetProcessValue(
    name,
    processWide(name, () => new RollingWindowLimiter()),
  );
}

afterEach(() => vi.restoreAllMocks());

describe("a failure counter", () => {
  it("a failure counter blocks after its limit across replicas", async () => {
    const allowed: boolean[] = [];
    for (let n = 0; n < 12; n++) {
      if (n % 4 === 0) becomeAnotherReplica();
      allowed.push((await recordAttempt("replicas", GUARD)).allowed);
    }
    expect(allowed).toEqual([...Array(10).fill(true), false, false]);
    becomeAnotherReplica();
    expect(await isAttemptLimitReached("replicas", GUARD)).toBe(true);
    expect(await isAttemptLimitReached("somebody else", GUARD)).toBe(false);
  });

  it("a failure counter with limit ten allows exactly ten of fifty concurrent attempts across replicas", async () => {
    const attempts = Array.from({ length: 50 }, (_, n) => {
      if (n % 5 === 0) becomeAnotherReplica();
      return recordAttempt("at once", GUARD);
    });
    expect((await Promise.all(attempts)).filter(({ allowed }) => allowed)).toHaveLength(10);
  });

  it("a failure counter unblocks when its window is over", async () => {
    for (let n = 0; n < 11; n++) await recordAttempt("window", GUARD);
    becomeAnotherReplica();
    expect(await isAttemptLimitReached("window", GUARD)).toBe(true);
    await client.db().$client`update attempt_counts set window_start = window_start - interval '60 seconds'`;
    expect(await isAttemptLimitReached("window", GUARD)).toBe(false);
    expect((await recordAttempt("window", GUARD)).allowed).toBe(true);
  });

  it("a failure counter stores names hashed and deletes windows older than a day", async () => {
    await recordAttempt("link:192.0.2.1", GUARD);
    const names = await client.db().$client`select name_hash from attempt_counts`;
    expect(JSON.stringify(names)).not.toContain("192.0.2.1");
    await client.db().$client`update attempt_counts set window_start = now() - interval '25 hours'`;
    await removeOldAttempts(client.db());
    expect(await client.db().$client`select * from attempt_counts`).toHaveLength(0);
  });

  it("a failure counter counts in the process while the database does not answer", async () => {
    vi.spyOn(client, "db").mockImplementation(() => {
      throw Object.assign(new Error("away"), { code: "ECONNREFUSED" });
    });
    const allowed: boolean[] = [];
    for (let n = 0; n < 12; n++) allowed.push((await recordAttempt("away", GUARD)).allowed);
    expect(allowed).toEqual([...Array(10).fill(true), false, false]);
    expect(await isAttemptLimitReached("away", GUARD)).toBe(true);
  });
});
