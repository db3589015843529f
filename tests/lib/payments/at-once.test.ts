import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { db } from "@/db/client";
import { lockEmail, lockPayment } from "@/db/queries/payments";
import { changeGrant } from "@/lib/access/keys/change-grant";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { applyDelivery } from "@/lib/payments/apply-delivery";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { writeSubscriberRef } from "@/lib/runtime/subscriber-ref";
import { mapPlatformProducts, runConcurrentArrivals } from "@/tests/fuzz/arrival-orders";
import { tables, useDatabase } from "@/tests/support/database";
import { listLocks } from "@/tests/support/locks";
import { paymentEvent, toBytes } from "@/tests/support/payments";
import { type Body, platformBytes } from "@/tests/support/platform-fixtures";
import { statementsOf } from "@/tests/support/sent-statements";
import { type Deliver, retryOnLockTimeout, startPaymentProcess } from "@/tests/support/start-payment-process";

useDatabase({ LOG_LEVEL: "error" });

const FULL = process.env.FULL_SIZE === "1";
/** The same purchases in every run. */
const [PURCHASES, PAIRS] = FULL ? [400, 100] : [5, 3];
const SEED = 6_000_000;

let sql: postgres.Sql;
let second: Awaited<ReturnType<typeof startPaymentProcess>>;
const here = retryOnLockTimeout((platform, bytes) =>
  receiveDelivery(db(), adapterOf(platform), bytes, { kind: "webhook", requestId: "first process" }, 60_000),
);
/** Both replicas, the first one in turn. */
const replicas = (turn: number): Deliver[] =>
  turn % 2 === 0 ? [here, retryOnLockTimeout(second.deliver)] : [retryOnLockTimeout(second.deliver), here];
beforeAll(async () => {
  sql = tables();
  await mapPlatformProducts(sql);
  second = await startPaymentProcess();
});
afterAll(async () => {
  await second.stop();
  await sql.end();
});

it(`${PURCHASES} purchases whose events arrive concurrently at two processes have the result that they have in order`, async () => {
  const report = await runConcurrentArrivals(sql, {
    purchases: PURCHASES,
    seed: SEED,
    elsewhere: second.deliver,
  });
  expect(report.purchases).toBe(PURCHASES);
}, 900_000);

const stripe = (type: string, object: Body): Buffer =>
  platformBytes("stripe", { id: randomUUID(), type, livemode: true, data: { object } });
const subscriptionPayment = (run: string, email: string, paymentIntent = `pi_${run}`): Buffer =>
  stripe("invoice.paid", {
    id: `in_${run}`,
    billing_reason: "subscription_create",
    customer_email: email,
    currency: "usd",
    amount_paid: 900,
    parent: { subscription_details: { subscription: `sub_${run}` } },
    payments: { data: [{ payment: { payment_intent: paymentIntent } }] },
    lines: { data: [{ amount: 900, pricing: { price_details: { price: "pro", product: "p" } } }] },
  });
/** Two subscribers with a Basic key each. */
async function subscribers(run: string): Promise<{ email: string; ref: string }[]> {
  const emails = [`a-${run}@once.example`, `b-${run}@once.example`];
  for (const email of emails)
    await here("generic", Buffer.from(toBytes(paymentEvent({ email, productId: "3031361" }))));
  const rows =
    await sql`select id from subscriptions where email_normalized = any(${emails}) order by email_normalized`;
  return emails.map((email, i) => ({ email, ref: writeSubscriberRef(rows[i]!.id) }));
}
const link = (run: string, ref: string): Buffer =>
  stripe("checkout.session.completed", {
    id: `cs_${run}`,
    mode: "subscription",
    invoice: `in_${run}`,
    subscription: `sub_${run}`,
    client_reference_id: ref,
  });
/** Days of each subscriber's working key; null without one. */
const daysOf = (run: string) => sql`
  select s.email_normalized as email, round(extract(epoch from k.expires_at - now()) / 86400)::int as days
    from subscriptions s left join api_keys k on k.subscription_id = s.id and k.revoked_at is null
   where s.email_normalized like ${`%${run}%`} order by 1`;

it(`${PAIRS} pairs of links between the same two subscribers, in opposite directions, do not deadlock`, async () => {
  for (let pair = 0; pair < PAIRS; pair++) {
    const run = randomUUID();
    const [a, b] = await subscribers(run);
    await here("stripe", subscriptionPayment(`${run}/a`, a!.email));
    await here("stripe", subscriptionPayment(`${run}/b`, b!.email));
    const links = [link(`${run}/a`, b!.ref), link(`${run}/b`, a!.ref)];
    await Promise.all(replicas(pair).map((deliver, i) => deliver("stripe", links[i]!)));
    expect(await daysOf(run)).toEqual([a, b].map((who) => ({ email: who!.email, days: 65 })));
  }
}, 400_000);

it(`${PAIRS} refunds that arrive together with the link of their payment end the access of the subscriber named by the link`, async () => {
  for (let pair = 0; pair < PAIRS; pair++) {
    const run = randomUUID();
    const [a, b] = await subscribers(run);
    await here("stripe", subscriptionPayment(run, a!.email));
    const refund = stripe("charge.refunded", {
      id: `ch_${run}`,
      payment_intent: `pi_${run}`,
      refunded: true,
      amount: 900,
      amount_refunded: 900,
      currency: "usd",
    });
    const both = [refund, link(run, b!.ref)];
    await Promise.all(replicas(pair).map((deliver, i) => deliver("stripe", both[i]!)));
    expect(await daysOf(run)).toEqual([
      { email: a!.email, days: 34 },
      { email: b!.email, days: null },
    ]);
  }
}, 400_000);

const nWaiting = async () => (await listLocks(sql)).filter(({ granted }) => !granted).length;
const SOON = { interval: 10, timeout: 10_000 };

/** Access of a Basic key that became Pro and was paid for again, one after the other or at the same time. */
async function changedAndPaid({ isAtOnce }: { isAtOnce: boolean }) {
  const email = `${randomUUID()}@once.example`;
  const pay = () => here("generic", Buffer.from(toBytes(paymentEvent({ email, productId: "3031361" }))));
  await pay();
  const [key] = await sql`
    select k.id from api_keys k join subscriptions s on s.id = k.subscription_id where email_normalized = ${email}`;
  const grant = { planTier: "pro", symbolsAllowed: null, tfsAllowed: null, rateLimitPerMin: null };
  const change = () => changeGrant(db(), key!.id, grant, { kind: "worker" });
  if (isAtOnce) {
    const work: Promise<unknown>[] = [];
    await sql.begin(async (holder) => {
      await holder`select 1 from api_keys where id = ${key!.id} for update`;
      work.push(change());
      await expect.poll(nWaiting, SOON).toBe(1);
      work.push(pay());
      await expect.poll(nWaiting, SOON).toBe(2);
    });
    await Promise.all(work);
  } else {
    await change();
    await pay();
  }
  const [access] = await sql`
    select plan_tier, round(extract(epoch from expires_at - now()) / 3600)::int as hours,
           (select array_agg(kind order by id) from paid_time where key_id = ${key!.id}) as kinds
      from api_keys where id = ${key!.id}`;
  return access;
}

it("a payment that waits for an administrator's change of plan is applied after it", async () => {
  const inOrder = await changedAndPaid({ isAtOnce: false });
  expect(await changedAndPaid({ isAtOnce: true })).toEqual(inOrder);
});

it("a payment reads its subscriber after it has locked the address and its subscriptions", async () => {
  const payment = Buffer.from(toBytes(paymentEvent()));
  const sent = await statementsOf(() => here("generic", payment));
  const order = ["pg_advisory_xact_lock", "for no key update", 'order by "subscriptions"."id" desc'];
  const found = order.map((part) => sent.findLastIndex(({ text }) => text.includes(part)));
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(found).not.toContain(-1);
});

it("a refund of a change of plan that arrives with the charge for it undoes the change", async () => {
  const run = randomUUID();
  const email = `${run}@once.example`;
  const payment = (id: string, plan: string, billing_reason: string): Body => ({
    id,
    status: "paid",
    paid_at: new Date().toISOString(),
    billing_reason,
    currency: "usd",
    total: 9,
    plan: { id: plan },
    user: { email, name: "Ada" },
    membership: { id: `mem_${run}`, status: "active" },
  });
  const change = payment(`pay_up_${run}`, "pro", "subscription_update");
  const told = (type: string, data: Body) => platformBytes("whop", { type, data });
  await here("whop", told("payment.succeeded", change));
  const refund = told("refund.created", {
    id: `rf_${run}`,
    status: "succeeded",
    amount: 9,
    currency: "usd",
    payment: change,
  });
  const work: Promise<unknown>[] = [];
  await db().transaction(async (tx) => {
    const actor = { kind: "webhook", requestId: "refund" } as const;
    const read = adapterOf("whop").read(refund, new Date());
    await applyDelivery(tx, read, { actor, bodyDigest: null });
    const first = payment(`pay_${run}`, "basic", "subscription_create");
    work.push(here("whop", told("payment.succeeded", first)));
    await expect.poll(nWaiting, SOON).toBe(1);
  });
  await Promise.all(work);
  const [key] = await sql`
    select plan_tier, stretches from api_keys k join subscriptions s on s.id = k.subscription_id
     where email_normalized = ${email}`;
  expect(key).toEqual({ plan_tier: "basic", stretches: null });
});

it("a delivery aborted by a deadlock in PostgreSQL is still applied", async () => {
  const [email, id] = [`${randomUUID()}@once.example`, `inv-${randomUUID()}`];
  const bytes = Buffer.from(toBytes(paymentEvent({ email, id, productId: "3031361" })));
  const work: Promise<unknown>[] = [];
  await db().transaction(async (tx) => {
    await lockEmail(tx, email);
    // The delivery holds the lock of its invoice and waits for the lock of its buyer.
    work.push(here("generic", bytes));
    await expect.poll(nWaiting, SOON).toBe(1);
    await lockPayment(tx, id, []);
  });
  expect(await Promise.all(work)).toMatchObject([{ action: "api_key_created" }]);
});
