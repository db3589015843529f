import { describe, expect, it } from "vitest";
import { GET as badge } from "@/app/(site)/r/[token]/badge.svg/route";
import { POST as record } from "@/app/portal/record/act/route";
import { db } from "@/db/client";
import { computeReceiverAccess } from "@/lib/access/compute-receiver-access";
import { readOwnRecord } from "@/lib/executions/own-record/read-own-record";
import {
  findSharedRecordOf,
  shareRecord,
  withdrawRecordLink,
} from "@/lib/executions/own-record/share-record";
import { UTC_CLOCK } from "@/lib/market/clock";
import { sha256 } from "@/lib/runtime/secrets";
import { call, makeKey } from "@/tests/support/api";
import { useDatabase } from "@/tests/support/database";
import { portalForm, signInWithKey } from "@/tests/support/portal";
import { resolveOutcomesNow, storeMarket } from "@/tests/support/record-market";

const { share, withdraw } = record.forms;

useDatabase();

const actor = { kind: "command" } as const;
const find = (token: string) => findSharedRecordOf(db(), token, computeReceiverAccess, new Date());
const askBadge = (token: string) =>
  badge(new Request(`http://localhost/r/${token}/badge.svg`), { params: Promise.resolve({ token }) });
const subscriptionOf = async (keyId: number): Promise<number> => {
  const [row] = await db().$client`select subscription_id from api_keys where id = ${keyId}`;
  return row?.subscription_id;
};

describe("the link to a shared record", () => {
  it("a new link to a shared record replaces the old one, is stored as a hash, and has an audit entry", async () => {
    const { keyId } = await makeKey();
    const subscriptionId = await subscriptionOf(keyId);
    const first = await shareRecord(db(), subscriptionId, actor);
    const second = await shareRecord(db(), subscriptionId, actor);
    expect(await find(first)).toBeNull();
    expect(await find(second)).toMatchObject({ decomposition: { model: { n: 0 }, own: { n: 0 } } });
    const links = await db().$client`select * from record_links where subscription_id = ${subscriptionId}`;
    expect(links.map((row) => row.token_hash)).toEqual([sha256(second)]);
    const audit = await db().$client`
      select action, details::text from admin_audit where subscription_id = ${subscriptionId} and action like 'record_link%'`;
    expect(audit.map((row) => row.action)).toEqual(["record_link.make", "record_link.make"]);
    expect(JSON.stringify(audit)).not.toContain(second);
  });

  it("the link to a shared record and its badge stop working at once when withdrawn, even just after a visit", async () => {
    const { keyId } = await makeKey();
    const subscriptionId = await subscriptionOf(keyId);
    const token = await shareRecord(db(), subscriptionId, actor);
    const shown = await askBadge(token);
    expect([shown.status, shown.headers.get("x-robots-tag"), shown.headers.get("cache-control")]).toEqual([
      200,
      "noindex",
      "no-cache",
    ]);
    const svg = await shown.text();
    expect(svg).toContain("own record: no closed position, 90 days");
    expect(svg).not.toContain("Tester");
    await withdrawRecordLink(db(), subscriptionId, actor);
    expect(await find(token)).toBeNull();
    expect((await askBadge(token)).status).toBe(404);
    // A second withdrawal has nothing to end.
    await withdrawRecordLink(db(), subscriptionId, actor);
    const audit = await db().$client`
      select 1 from admin_audit where subscription_id = ${subscriptionId} and action = 'record_link.withdraw'`;
    expect(audit).toHaveLength(1);
  });

  it("the link to a shared record finds nothing after the subscription's access has ended", async () => {
    const { keyId } = await makeKey();
    const token = await shareRecord(db(), await subscriptionOf(keyId), actor);
    expect(await find(token)).not.toBeNull();
    await call("DELETE", `/admin/keys/${keyId}`, { admin: true });
    expect(await find(token)).toBeNull();
  });

  it("the shared record leaves out late signals, which the portal counts", async () => {
    const { keyId } = await makeKey({ plan_tier: "pro" });
    const [row] = await db().$client`select subscription_id, created_at from api_keys where id = ${keyId}`;
    await db()
      .$client`update subscriptions set created_at = now() - interval '30 days' where id = ${row?.subscription_id}`;
    const token = await shareRecord(db(), row?.subscription_id, actor);
    await storeMarket({ symbol: "EURUSD", nCandles: 120, nSignals: 60, seed: 5 });
    await resolveOutcomesNow();
    const own = await readOwnRecord(
      db(),
      {
        subscriptionId: row?.subscription_id,
        subscribedAt: new Date(Date.now() - 30 * 86_400_000),
        scope: { symbols: null, timeframes: null },
        days: 90,
        clock: UTC_CLOCK,
      },
      new Date(),
    );
    expect(own.decomposition.model.n).toBeGreaterThan(20);
    expect((await find(token))?.decomposition.model.n).toBe(0);
  });

  it.each(["", "x", "../../etc", "A".repeat(32), "A".repeat(33), "%00".repeat(10), "ä".repeat(32)])(
    "the record link token %j finds no record, and its badge is 404",
    async (token) => {
      expect(await find(token)).toBeNull();
      expect((await askBadge(token)).status).toBe(404);
    },
  );

  it("the link to a shared record is created and withdrawn by the forms of the portal", async () => {
    const { key, keyId } = await makeKey();
    const subscriptionId = await subscriptionOf(keyId);
    const cookie = await signInWithKey(key);
    const links = () =>
      db().$client`select token_hash from record_links where subscription_id = ${subscriptionId}`;
    const made = await share(portalForm("/portal/record/act?intent=share", {}, { cookie }));
    expect([made.status, made.headers.get("location")]).toEqual([303, "/portal/record"]);
    expect(await links()).toHaveLength(1);
    expect((await withdraw(portalForm("/portal/record/act?intent=withdraw", {}, { cookie }))).status).toBe(
      303,
    );
    expect(await links()).toHaveLength(0);
  });
});
