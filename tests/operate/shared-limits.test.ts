import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RollingWindowLimiter } from "@/lib/access/limits/rolling-window";
import { sharedLimiter } from "@/lib/access/limits/shared/take-quota";
import { recordSignInLinkRequest } from "@/lib/auth/sign-in-limits";
import { env } from "@/lib/runtime/env";
import { forgetProcessValue, processWide } from "@/lib/runtime/process-wide";
import { call } from "@/tests/support/api";
import { ADMIN_SECRET, useDatabase } from "@/tests/support/database";
import { hasRedis, type RunningRedis, startRedis } from "@/tests/support/redis";

useDatabase();

describe.runIf(hasRedis())("rate limits in Redis", () => {
  let redis: RunningRedis;
  beforeAll(async () => {
    redis = await startRedis();
    Object.assign(env(), { redisUrl: redis.url });
    await becomeAnotherReplica();
  });
  afterAll(async () => {
    sharedLimiter()?.close();
    await redis.stop();
  });

  /** Replaces this process's limiters by empty ones, as in a new replica, and waits for the connection to Redis. */
  async function becomeAnotherReplica(): Promise<void> {
    const former = processWide("shared-limiter", () => sharedLimiter());
    former?.close();
    forgetProcessValue("shared-limiter", former);
    for (const name of ["rate-limiter", "guards-60000", "guards-3600000"])
      forgetProcessValue(
        name,
        processWide(name, () => new RollingWindowLimiter()),
      );
    await sharedLimiter()?.redis.eval("return 1", [], []);
  }

  const from = (address: string) => ({ headers: { "X-Client-Address": address } });

  it("ten wrong administrator secrets at any replicas block an address on every replica", async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      if (n % 4 === 0) await becomeAnotherReplica();
      statuses.push((await call("GET", "/admin/keys", { admin: "wrong", ...from("192.0.2.10") })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(403), 429, 429]);
    // A new replica, which has counted no failure itself, refuses even the right secret from this address.
    await becomeAnotherReplica();
    expect((await call("GET", "/admin/keys", { admin: ADMIN_SECRET, ...from("192.0.2.10") })).status).toBe(
      429,
    );
    expect((await call("GET", "/admin/keys", { admin: ADMIN_SECRET, ...from("192.0.2.11") })).status).toBe(
      200,
    );
  });

  it("unknown keys of an address are counted across replicas", async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 22; n++) {
      if (n % 5 === 0) await becomeAnotherReplica();
      statuses.push((await call("GET", "/api/scan", { key: randomUUID(), ...from("192.0.2.20") })).status);
    }
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429]);
  });

  it("public reads of an address are counted across replicas", async () => {
    let passed = 0;
    for (let n = 0; n < 250; n++) {
      if (n % 100 === 0) await becomeAnotherReplica();
      const { status } = await call("GET", "/openapi.json", from("192.0.2.30"));
      if (status === 200) passed++;
    }
    expect(passed).toBe(240);
  });

  it("requests for a sign-in link are counted across replicas, per hour", async () => {
    const taken: boolean[] = [];
    for (let n = 0; n < 12; n++) {
      if (n % 3 === 0) await becomeAnotherReplica();
      taken.push(await recordSignInLinkRequest("192.0.2.40"));
    }
    expect(taken).toEqual([...Array(10).fill(true), false, false]);
  });

  it("limits continue in each process when Redis fails, and the right secret is accepted", async () => {
    await becomeAnotherReplica();
    await redis.kill();
    expect((await call("GET", "/admin/keys", { admin: ADMIN_SECRET, ...from("192.0.2.50") })).status).toBe(
      200,
    );
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++)
      statuses.push((await call("GET", "/admin/keys", { admin: "wrong", ...from("192.0.2.50") })).status);
    expect(statuses).toEqual([...Array(10).fill(403), 429, 429]);
  });
});
