import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { db } from "@/db/client";
import { HEARTBEAT_PARTS, heartbeatBuffer } from "@/lib/subscribers/heartbeat";
import { makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";

useDatabase();

it("a failed write of heartbeats is repeated next time together with the calls since, none twice", async () => {
  const { keyId } = await makeKey();
  const [row] = await db().execute<{ subscription_id: number }>(
    sql`select subscription_id from api_keys where id = ${keyId}`,
  );
  const subscriptionId = row?.subscription_id ?? -1;
  const call = (time: string, client: string) =>
    heartbeatBuffer().note(keyId, subscriptionId, new Date(time), () => ({ client, address: null }));
  const stored = () =>
    db().execute(sql`select n_calls::int as calls, client, last_seen_at = '2026-11-21T09:00:09Z' as newest
      from key_heartbeats where key_id = ${keyId}`);

  call("2026-11-21T09:00:00Z", "before");
  call("2026-11-21T09:00:01Z", "before");
  await db().execute(sql`alter table key_heartbeats rename to heartbeats_away`);
  const failing = heartbeatBuffer().flush();
  call("2026-11-21T09:00:09Z", "meanwhile");
  await expect(failing).rejects.toThrow();
  expect(heartbeatBuffer().newestOf(subscriptionId), "the state of the client knows it").toEqual(
    new Date("2026-11-21T09:00:09Z"),
  );
  await db().execute(sql`alter table heartbeats_away rename to key_heartbeats`);

  await heartbeatBuffer().flush();
  expect(await stored()).toEqual([{ calls: 3, client: "meanwhile", newest: true }]);
  await heartbeatBuffer().flush();
  expect(await stored()).toEqual([{ calls: 3, client: "meanwhile", newest: true }]);

  // A key without further calls is written too.
  call("2026-11-21T09:00:09Z", "once");
  await db().execute(sql`alter table key_heartbeats rename to heartbeats_away`);
  await expect(heartbeatBuffer().flush()).rejects.toThrow();
  await db().execute(sql`alter table heartbeats_away rename to key_heartbeats`);
  await heartbeatBuffer().flush();
  expect(await stored()).toEqual([{ calls: 4, client: "once", newest: true }]);
});

it("the heartbeats of several keys are written one part after the other, all within one round of parts", async () => {
  const made = await Promise.all(Array.from({ length: 3 }, () => makeKey()));
  const written = async () =>
    (await db().execute(sql`select from key_heartbeats where client = 'in parts'`)).length;
  for (const { keyId } of made) {
    const [row] = await db().execute<{ subscription_id: number }>(
      sql`select subscription_id from api_keys where id = ${keyId}`,
    );
    heartbeatBuffer().note(keyId, row?.subscription_id ?? -1, new Date(), () => ({
      client: "in parts",
      address: null,
    }));
  }
  const after: number[] = [];
  for (let part = 0; part < HEARTBEAT_PARTS; part++) {
    await heartbeatBuffer().flushPart();
    after.push(await written());
  }
  expect(
    [...new Set(after)].filter((n) => n > 0),
    "one after the other",
  ).toEqual([1, 2, 3]);
  expect(after.at(-1)).toBe(3);
  expect(heartbeatBuffer().newestOfKey(made[0]?.keyId ?? 0)).toBeNull();
});

it("a key's heartbeat has the client and address of the first call since the last write, and keeps both after a call without them", async () => {
  const { keyId } = await makeKey();
  const subscriptionId = 7_001;
  const stored = () =>
    db().execute(
      sql`select n_calls::int as calls, client, address from key_heartbeats where key_id = ${keyId}`,
    );
  const call = (time: string, client: string | null) =>
    heartbeatBuffer().note(keyId, subscriptionId, new Date(time), () => ({
      client,
      address: client && "192.0.2.1",
    }));

  call("2026-11-21T10:00:00Z", 'a "quoted" \\ {client}, null');
  await heartbeatBuffer().flush();
  expect(await stored()).toEqual([
    { calls: 1, client: 'a "quoted" \\ {client}, null', address: "192.0.2.1" },
  ]);
  call("2026-11-21T10:00:05Z", "another client");
  call("2026-11-21T10:00:06Z", "is not asked");
  await heartbeatBuffer().flush();
  expect(await stored()).toEqual([{ calls: 3, client: "another client", address: "192.0.2.1" }]);
  // The heartbeat of a waiting call contains nothing about the client.
  call("2026-11-21T10:00:15Z", null);
  await heartbeatBuffer().flush();
  expect(await stored()).toEqual([{ calls: 4, client: "another client", address: "192.0.2.1" }]);
});
