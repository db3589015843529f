import { beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { readWatchedState } from "@/db/queries/watched-state";
import { lookUpKey } from "@/lib/access/keys/look-up";
import { sha256 } from "@/lib/runtime/secrets";
import { heartbeatBuffer } from "@/lib/subscribers/heartbeat";
import { call, makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase();

const read = (keyIds: number[], subscriptionIds: number[] = []) =>
  readWatchedState(db(), { keyIds, subscriptionIds });
const revisionOf = async (keyId: number) => (await read([keyId])).revisions[0];

describe("the revision of a key", () => {
  let keyId: number;
  let key: string;
  beforeEach(async () => {
    ({ keyId, key } = await makeKey());
  });

  it("the revision of a key stays the same while the key does not change, polls included", async () => {
    const { key, keyId: other } = await makeKey();
    const before = await revisionOf(other);
    expect(before).not.toBe("");
    expect((await call("GET", "/api/scan", { key })).status).toBe(200);
    await makeKey();
    expect(await revisionOf(other)).toBe(before);
  });

  it("the revision of a key differs after each change of its rights, and equals the revision of a look-up", async () => {
    const sql = connectDirectly();
    const revisionOfLookup = async () => (await lookUpKey(sha256(key))).key?.revision;
    const seen = [await revisionOf(keyId)];
    expect(await revisionOfLookup()).toBe(seen[0]);
    for (const change of [
      sql`symbols_allowed = array['EURUSD']`,
      sql`tfs_allowed = array['H1']`,
      sql`plan_tier = 'basic'`,
      sql`rate_limit_per_min = 7`,
      sql`expires_at = now() + interval '1 day'`,
    ]) {
      await sql`update api_keys set ${change} where id = ${keyId}`;
      seen.push(await revisionOf(keyId));
      expect(await revisionOfLookup()).toBe(seen.at(-1));
    }
    expect(seen).not.toContain("");
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("the revision of a revoked, replaced, suspended, expired or unknown key is empty, in the requested order", async () => {
    const sql = connectDirectly();
    const others = await Promise.all([makeKey(), makeKey(), makeKey(), makeKey()]);
    const [a = 0, b = 0, c = 0, d = 0] = others.map((made) => made.keyId);
    await sql`update api_keys set revoked_at = now() where id = ${a}`;
    await sql`update api_keys set rotated_at = now() where id = ${b}`;
    await sql`update api_keys set suspended_at = now() where id = ${c}`;
    await sql`update api_keys set created_at = now() - interval '2 days', expires_at = now() - interval '1 day' where id = ${d}`;
    const { revisions, versions } = await read([a, keyId, b, 0, c, d]);
    expect(revisions.map((revision) => revision !== "")).toEqual([false, true, false, false, false, false]);
    expect(versions.signals).toBeGreaterThanOrEqual(0);
    expect((await read([])).subscriptions.size).toBe(0);
  });
});

it("after its first report a subscription has a last call and a version of its executions, and one without a call has neither", async () => {
  const [asked, quiet] = await Promise.all([makeKey(), makeKey()]);
  const sql = connectDirectly();
  const idOf = async (keyId: number) => {
    const [row] = await sql<{ id: number }[]>`select subscription_id as id from api_keys where id = ${keyId}`;
    return row?.id ?? 0;
  };
  const [one, other] = [await idOf(asked.keyId), await idOf(quiet.keyId)];
  await call("POST", "/api/executions", {
    key: asked.key,
    body: { ticket: 1, symbol: "EURUSD", timeframe: "H1", signal: "BUY" },
  });
  await heartbeatBuffer().flush();
  const { subscriptions } = await read([], [one, other]);
  expect(subscriptions.get(one)?.executions).toBeGreaterThan(0);
  expect(Date.now() - (subscriptions.get(one)?.lastSeenAt?.getTime() ?? 0)).toBeLessThan(60_000);
  expect(subscriptions.get(other)).toEqual({ lastSeenAt: null, executions: 0 });
});
