import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { countCredits, countRecentCredits, listCredits } from "@/db/queries/credits";
import { changeKeyEnd } from "@/lib/access/keys/change-key-end";
import { extendAccessInBulk } from "@/lib/access/keys/extend-access-in-bulk";
import { declineProposedDowntimeCredits } from "@/lib/access/keys/grant-credits";
import { makeKey } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";

useDatabase();

const ADMIN = { kind: "admin-session", sessionId: "s", address: "127.0.0.1", requestId: "t" } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTH = new Date(Date.now() - 20 * DAY_MS).toISOString().slice(0, 8);
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);

let sql: postgres.Sql;
const keys: Record<string, { keyId: number; subscriptionId: number }> = {};

async function subscribe(name: string, endsInDays: number): Promise<void> {
  const { keyId } = await makeKey({
    user_name: name,
    expires_at: new Date(Date.now() + endsInDays * DAY_MS).toISOString(),
  });
  const [row] = await sql<{ id: number }[]>`select subscription_id as id from api_keys where id = ${keyId}`;
  keys[name] = { keyId, subscriptionId: row!.id };
}

/** Stores a credit for an outage that began this many days ago. */
async function credit(
  name: string,
  given: { days: number; minutes: number; settled?: Date; month?: string },
) {
  const stretches = [
    {
      from: ago(given.days).toISOString(),
      to: new Date(ago(given.days).getTime() + HOUR_MS).toISOString(),
      what: "down",
    },
  ];
  await sql`
    insert into downtime_credits (subscription_id, month, minutes, stretches, state, due_at, settled_at)
    values (${keys[name]!.subscriptionId}, ${given.month ?? `${MONTH}01`}, ${given.minutes}, ${sql.json(stretches)},
            ${given.settled ? "granted" : "proposed"}, now(), ${given.settled ?? null})`;
}

const extensionsOf = async () =>
  Object.fromEntries(
    (await listCredits(db(), { limit: 50, offset: 0 })).map((row) => [
      `${row.userName} ${row.state}`,
      row.extendedMinutes,
    ]),
  );

beforeAll(async () => {
  sql = connectDirectly();
  for (const name of ["Ada", "Ben", "Cleo", "Dan"]) await subscribe(name, 10);
  await credit("Ada", { days: 9, minutes: 390 });
  await credit("Ben", { days: 9, minutes: 60, settled: ago(8) });
  await credit("Cleo", { days: 80, minutes: 600, settled: ago(36) });
  await credit("Dan", { days: 9, minutes: 90 });
  // The access of Dan has ended, so no list extends it.
  await sql`update api_keys set expires_at = now() - interval '1 hour' where id = ${keys.Dan!.keyId}`;
});
afterAll(() => sql.end());

describe("downtime credits beside extensions", () => {
  it("the extension of a list counts its subscribers with a proposed or recent downtime credit", async () => {
    expect(await countRecentCredits(db(), {})).toEqual({ nProposed: 1, nGranted: 1, longestMinutes: 390 });
    expect(await countRecentCredits(db(), { q: "Ben" })).toEqual({
      nProposed: 0,
      nGranted: 1,
      longestMinutes: 60,
    });
    expect(await countRecentCredits(db(), { q: "Cleo" })).toEqual({
      nProposed: 0,
      nGranted: 0,
      longestMinutes: 0,
    });
  });

  it("a downtime credit names the days by which access was extended since the outage", async () => {
    const none = { "Ada proposed": null, "Ben granted": null, "Cleo granted": null, "Dan proposed": null };
    expect(await extensionsOf()).toEqual(none);
    await extendAccessInBulk(db(), { filter: {}, days: 3, shown: 3, formId: randomUUID() }, ADMIN);
    // An extension after the decision about a credit is none that the decision had to consider.
    expect(await extensionsOf()).toEqual({ ...none, "Ada proposed": 3 * 1440 });
    await changeKeyEnd(db(), keys.Ada!.keyId, new Date(Date.now() + 14 * DAY_MS), ADMIN, new Date());
    expect(await extensionsOf()).toEqual({ ...none, "Ada proposed": 4 * 1440 });
  });

  it("an earlier end, an end for unlimited access and an extension before the outage are no extension since", async () => {
    await changeKeyEnd(db(), keys.Ada!.keyId, new Date(Date.now() + 2 * DAY_MS), ADMIN, new Date());
    expect(await extensionsOf()).toMatchObject({ "Ada proposed": 4 * 1440 });
    await sql`update admin_audit set at = ${ago(10)} where action = 'key.extend'`;
    expect(await extensionsOf()).toMatchObject({ "Ada proposed": null });
    await changeKeyEnd(db(), keys.Ada!.keyId, null, ADMIN, new Date());
    await changeKeyEnd(db(), keys.Ada!.keyId, new Date(Date.now() + 2 * DAY_MS), ADMIN, new Date());
    expect(await extensionsOf()).toMatchObject({ "Ada proposed": null });
  });

  it("an extension of ended access counts from the day of the extension", async () => {
    await changeKeyEnd(db(), keys.Dan!.keyId, new Date(Date.now() + 7 * DAY_MS), ADMIN, new Date());
    expect((await extensionsOf())["Dan proposed"]).toBe(7 * 1440);
  });

  it("all proposed credits are declined together, only in the number shown, each with an audit row", async () => {
    await expect(declineProposedDowntimeCredits(db(), 3, ADMIN)).rejects.toMatchObject({ code: "conflict" });
    expect(await countCredits(db(), { state: "proposed" })).toBe(2);
    await declineProposedDowntimeCredits(db(), 2, ADMIN);
    expect(await countCredits(db(), { state: "declined" })).toBe(2);
    expect(await countCredits(db(), { state: "granted" })).toBe(2);
    const audits = await sql`
      select subscription_id as id, details->>'together' as together from admin_audit
       where action = 'credit.decline' order by subscription_id`;
    expect([...audits]).toEqual(
      [keys.Ada!, keys.Dan!].map(({ subscriptionId }) => ({ id: subscriptionId, together: "2" })),
    );
  });
});
