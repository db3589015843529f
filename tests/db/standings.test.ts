import { beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { readStandings } from "@/db/queries/keys";
import { lookUpKey } from "@/lib/access/keys/look-up";
import { sha256 } from "@/lib/runtime/secrets";
import { call, makeKey } from "@/tests/support/api";
import { tables, useDatabase } from "@/tests/support/database";

useDatabase();

const markOf = async (keyId: number) => (await readStandings(db(), [keyId])).marks[0];

describe("how watched keys stand", () => {
  let keyId: number;
  let key: string;
  beforeEach(async () => {
    ({ keyId, key } = await makeKey());
  });

  it("keeps the mark of a key while nothing of it changes, polls included", async () => {
    const { key, keyId: other } = await makeKey();
    const before = await markOf(other);
    expect(before).not.toBe("");
    expect((await call("GET", "/api/scan", { key })).status).toBe(200);
    await makeKey();
    expect(await markOf(other)).toBe(before);
  });

  it("has another mark after each change that a look-up would show, the one that came with the look-up", async () => {
    const sql = tables();
    const markOfLookup = async () => (await lookUpKey(sha256(key))).key?.mark;
    const seen = [await markOf(keyId)];
    expect(await markOfLookup()).toBe(seen[0]);
    for (const change of [
      sql`symbols_allowed = array['EURUSD']`,
      sql`tfs_allowed = array['H1']`,
      sql`plan_tier = 'basic'`,
      sql`rate_limit_per_min = 7`,
      sql`expires_at = now() + interval '1 day'`,
    ]) {
      await sql`update api_keys set ${change} where id = ${keyId}`;
      seen.push(await markOf(keyId));
      expect(await markOfLookup()).toBe(seen.at(-1));
    }
    expect(seen).not.toContain("");
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("has no mark of a key that is revoked, replaced, suspended, expired or not there, and keeps the order", async () => {
    const sql = tables();
    const others = await Promise.all([makeKey(), makeKey(), makeKey(), makeKey()]);
    const [a = 0, b = 0, c = 0, d = 0] = others.map((made) => made.keyId);
    await sql`update api_keys set revoked_at = now() where id = ${a}`;
    await sql`update api_keys set rotated_at = now() where id = ${b}`;
    await sql`update api_keys set suspended_at = now() where id = ${c}`;
    await sql`update api_keys set created_at = now() - interval '2 days', expires_at = now() - interval '1 day' where id = ${d}`;
    const { marks, versions } = await readStandings(db(), [a, keyId, b, 0, c, d]);
    expect(marks.map((mark) => mark !== "")).toEqual([false, true, false, false, false, false]);
    expect(versions.signals).toBeGreaterThanOrEqual(0);
    expect((await readStandings(db(), [])).marks).toEqual([""]);
  });
});
