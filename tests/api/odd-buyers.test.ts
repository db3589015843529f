import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { rotateKey } from "@/lib/access/keys/rotate-key";
import { DAY_MS } from "@/lib/time";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { freshEmail, WEBHOOK_SECRET } from "@/tests/support/payments";
import { deliverAll, deliverAs } from "@/tests/support/platform-events";
import { FIXTURES, PLATFORM_ENVIRONMENT, type Sale } from "@/tests/support/platform-fixtures";

// Buyers who pay in unusual ways, tested against the platforms' handlers.

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET, ...PLATFORM_ENVIRONMENT });

let sql: postgres.Sql;
beforeAll(async () => {
  sql = connectDirectly();
  for (const adapter of ["stripe", "paddle", "whop"])
    await sql`
      insert into products (adapter, external_id, plan_tier, period_days, grace_days)
      values (${adapter}, 'basic', 'basic', 31, 3), (${adapter}, 'pro', 'pro', 31, 3)`;
});
afterAll(() => sql.end());

let drawn = 0;
function saleOf(email: string, wish: Partial<Sale> = {}): Sale {
  drawn++;
  return {
    payment: `odd${drawn}`,
    subscription: `odds${drawn}`,
    first: true,
    product: "basic",
    email,
    amount: 49.9,
    paidAt: new Date(),
    ...wish,
  };
}
const keysOf = (email: string) => sql`
  select k.* from api_keys k join subscriptions s on s.id = k.subscription_id
   where s.email_normalized = ${email} order by k.id`;
const lastFlags = async (platform: string) =>
  (await sql`select flags from payment_deliveries where adapter = ${platform} order by id desc limit 1`)[0]!
    .flags;

describe("an unusual buyer", () => {
  it("a buyer who pays on two platforms at once gets one key with the days of both", async () => {
    const email = freshEmail();
    const stripe = FIXTURES.stripe.paid(saleOf(email));
    const whop = FIXTURES.whop.paid(saleOf(email, { product: "pro" }));
    const twice = [...stripe, ...stripe].map((body) => deliverAs("stripe", body));
    const both = [...whop, ...whop].map((body) => deliverAs("whop", body));
    await Promise.all([...twice, ...both]);
    const keys = await keysOf(email);
    expect(keys).toHaveLength(1);
    const [key] = keys;
    expect(key!.plan_tier).toBe("pro");
    expect(key!.stretches.map(({ plans }: { plans: string[] }) => plans.join())).toEqual(["pro", "basic"]);
    expect((key!.expires_at.getTime() - Date.now()) / DAY_MS).toBeCloseTo(65, 1);
  });

  it("a buyer who wins a chargeback after a key rotation gets only the newest key back", async () => {
    const email = freshEmail();
    const sale = saleOf(email);
    await deliverAll("stripe", FIXTURES.stripe.paid(sale));
    const [first] = await keysOf(email);
    await rotateKey(
      db(),
      { keyId: first!.id, subscriptionId: first!.subscription_id },
      { kind: "subscriber", subscriptionId: first!.subscription_id, address: "127.0.0.1", requestId: "r" },
    );
    await deliverAll("stripe", FIXTURES.stripe.chargeback(sale)!);
    expect((await keysOf(email)).map((key) => key.revoked_at === null)).toEqual([true, false]);
    await deliverAll("stripe", FIXTURES.stripe.chargebackWon(sale)!);
    const [old, rotated] = await keysOf(email);
    expect(old!.rotated_at).not.toBeNull();
    expect([rotated!.revoked_at, rotated!.expires_at]).toEqual([null, first!.expires_at]);
    const rows =
      await sql`select key_id, ended_at from paid_time where key_id in (${old!.id}, ${rotated!.id})`;
    expect(rows).toEqual([{ key_id: rotated!.id, ended_at: null }]);
  });

  it("a buyer who upgrades in the last second keeps the old plan until the renewal, then gets one period of the new one", async () => {
    const email = freshEmail();
    const sale = saleOf(email, { paidAt: new Date(Date.now() - 31 * DAY_MS) });
    await deliverAll("stripe", FIXTURES.stripe.paid(sale));
    const object = {
      id: `sub_${sale.subscription}`,
      items: { data: [{ quantity: 1, price: { id: "pro", product: "p" } }] },
    };
    const data = { object, previous_attributes: { items: { data: [] } } };
    const told = { id: "evt_last", type: "customer.subscription.updated", data };
    await deliverAs("stripe", told);
    expect((await keysOf(email))[0]!.plan_tier).toBe("basic");
    const renewal = {
      ...sale,
      payment: `${sale.payment}r`,
      first: false,
      product: "pro",
      paidAt: new Date(),
    };
    await deliverAll("stripe", FIXTURES.stripe.paid(renewal));
    const [key] = await keysOf(email);
    expect([key!.plan_tier, key!.stretches]).toEqual(["pro", null]);
    expect((key!.expires_at.getTime() - Date.now()) / DAY_MS).toBeCloseTo(34, 1);
  });

  it("a buyer refunded in two parts needs a review each time, and loses access after the full refund", async () => {
    const email = freshEmail();
    const sale = saleOf(email);
    await deliverAll("paddle", FIXTURES.paddle.paid(sale));
    for (const id of ["a", "b"]) {
      const [half] = FIXTURES.paddle.refunded(sale, 24.95);
      await deliverAs("paddle", { ...half!, event_id: `evt_${id}` });
      expect(await lastFlags("paddle")).toEqual(["partial_refund"]);
    }
    expect((await keysOf(email))[0]!.revoked_at).toBeNull();
    await deliverAll("paddle", FIXTURES.paddle.refunded(sale, 49.9));
    expect((await keysOf(email))[0]!.revoked_at).not.toBeNull();
  });

  it("a buyer whose platform states a period of 126 years gets the product's days and grace days", async () => {
    const email = freshEmail();
    const [invoice] = FIXTURES.stripe.paid(saleOf(email));
    const { data } = invoice as { data: { object: { lines: { data: object[] } } } } & object;
    data.object.lines.data[0] = { ...data.object.lines.data[0], period: { start: 0, end: 4_000_000_000 } };
    await deliverAs("stripe", invoice!);
    const [key] = await keysOf(email);
    expect((key!.expires_at.getTime() - Date.now()) / DAY_MS).toBeCloseTo(34, 1);
  });

  it("a buyer with five failed payments and four days left gets no further days", async () => {
    const email = freshEmail();
    const sale = saleOf(email, { paidAt: new Date(Date.now() - 30 * DAY_MS) });
    await deliverAll("stripe", FIXTURES.stripe.paid(sale));
    for (let n = 0; n < 5; n++)
      await deliverAll(
        "stripe",
        FIXTURES.stripe.failed({ ...sale, payment: `${sale.payment}f${n}`, first: false })!,
      );
    const [key] = await keysOf(email);
    expect((key!.expires_at.getTime() - Date.now()) / DAY_MS).toBeCloseTo(4, 1);
  });
});
