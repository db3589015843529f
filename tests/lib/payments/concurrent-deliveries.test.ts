import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { db, type Transaction } from "@/db/client";
import { replaceAddress } from "@/db/queries/accounts";
import { lockBuyerAddress, lockBuyerAddresses, lockInvoicesAndAddresses } from "@/db/queries/payments";
import { changeGrant } from "@/lib/access/keys/change-grant";
import { rotateKey } from "@/lib/access/keys/rotate-key";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { applyDelivery } from "@/lib/payments/apply-delivery";
import { applyWonChargeback } from "@/lib/payments/apply-won-chargeback";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { signSubscriberRef } from "@/lib/runtime/subscriber-ref";
import {
  mapPlatformProducts,
  runConcurrentArrivals,
  runOverlappingDeliveries,
} from "@/tests/fuzz/arrival-orders";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { listLocks } from "@/tests/support/locks";
import { paymentEvent, toBytes } from "@/tests/support/payments";
import { type DeliveryBody, platformBytes } from "@/tests/support/platform-fixtures";
import { statementsOf } from "@/tests/support/sent-statements";
import { type Deliver, retryOnLockTimeout, startPaymentProcess } from "@/tests/support/start-payment-process";

useDatabase({ LOG_LEVEL: "error" });

const FULL = process.env.FULL_SIZE === "1";
/** Numbers of drawn purchases and of pairs; SEED makes them the same in every run. */
const [PURCHASES, PAIRS] = FULL ? [200, 100] : [5, 3];
const SEED = 6_000_000;

let sql: postgres.Sql;
let second: Awaited<ReturnType<typeof startPaymentProcess>>;
const here: Deliver = retryOnLockTimeout((platform, bytes) =>
  receiveDelivery(db(), adapterOf(platform), bytes, { kind: "webhook", requestId: "first process" }, 60_000),
);
/** Both replicas. An even `turn` begins with this process, an odd one with the second process. */
const replicas = (turn: number): Deliver[] =>
  turn % 2 === 0 ? [here, retryOnLockTimeout(second.deliver)] : [retryOnLockTimeout(second.deliver), here];
beforeAll(async () => {
  sql = connectDirectly();
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

it("an invoice that waits for the session of its purchase belongs to the subscriber whom the session's link names", async () => {
  const [session, invoice, linked, refund] = [0, 1, 2, 3] as const;
  const only = { order: [linked, refund, session, invoice], place: 2 };
  await runOverlappingDeliveries(sql, "sessionByLink", { isRefunded: true, only });
});

it("a refund of a plan change, which names only the payment intent, waits for the subscription's first payment", async () => {
  const [payment, change, charge, linked, refund] = [0, 1, 2, 3, 4] as const;
  const only = { order: [charge, linked, payment, refund, change], place: 2 };
  await runOverlappingDeliveries(sql, "change", { isRefunded: true, only });
});

it("a first payment that an earlier event joined to a platform's subscription, and a change of that plan, wait for each other", async () => {
  const [payment, linked, change] = [0, 1, 2] as const;
  for (const order of [
    [linked, payment, change],
    [linked, change, payment],
  ])
    await runOverlappingDeliveries(sql, "variant", { isRefunded: false, only: { order, place: 1 } });
});

it.runIf(FULL).each([
  ["session", true, 72],
  ["byLink", true, 72],
  ["sessionByLink", true, 72],
  ["change", true, 480],
  ["change", false, 72],
  ["membershipChange", true, 12],
  ["transactionChange", true, 72],
  ["transactionChange", false, 12],
  ["variant", false, 12],
  ["upgrade", false, 12],
  ["customer", true, 12],
  ["trialOrder", true, 12],
  ["trialMembership", true, 12],
] as const)(
  "the purchase %s (refunded: %s) ends as in its order when each two of its events overlap",
  async (kind, isRefunded, n) => {
    expect(await runOverlappingDeliveries(sql, kind, { isRefunded })).toBe(n);
  },
  300_000,
);

const stripe = (type: string, object: DeliveryBody): Buffer =>
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
  return emails.map((email, i) => ({ email, ref: signSubscriberRef(rows[i]!.id) }));
}
const link = (run: string, ref: string): Buffer =>
  stripe("checkout.session.completed", {
    id: `cs_${run}`,
    mode: "subscription",
    invoice: `in_${run}`,
    subscription: `sub_${run}`,
    client_reference_id: ref,
  });
/** Days left of each subscriber's active key; null without one. */
const daysOf = (run: string) => sql`
  select s.email_normalized as email, round(extract(epoch from k.expires_at - now()) / 86400)::int as days
    from subscriptions s left join api_keys k
       on k.subscription_id = s.id and k.revoked_at is null and k.rotated_at is null
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

const whopPayment = (run: string, id: string, plan: string, billing_reason: string): DeliveryBody => ({
  id: `${id}_${run}`,
  status: "paid",
  paid_at: new Date().toISOString(),
  billing_reason,
  currency: "usd",
  total: 9,
  plan: { id: plan },
  user: { email: `${run}@once.example`, name: "Ada" },
  membership: { id: `mem_${run}`, status: "active" },
});
const whop = (type: string, data: DeliveryBody) => platformBytes("whop", { type, data });
/** A month of Basic, an upgrade within it, and the refund of the upgrade's charge. */
function upgraded(run: string) {
  const charge = whopPayment(run, "pay_up", "pro", "subscription_update");
  return {
    first: whop("payment.succeeded", whopPayment(run, "pay", "basic", "subscription_create")),
    change: whop("payment.succeeded", charge),
    refund: whop("refund.created", {
      id: `rf_${run}`,
      status: "succeeded",
      amount: 9,
      currency: "usd",
      payment: charge,
    }),
  };
}
const keysOf = (run: string) => sql`
  select k.id, k.subscription_id, k.plan_tier, k.stretches from api_keys k
    join subscriptions s on s.id = k.subscription_id
   where s.email_normalized like ${`%${run}%`} and k.revoked_at is null and k.rotated_at is null order by k.id`;

it("a refund of a change of plan that arrives together with the changed payment undoes the change", async () => {
  const run = randomUUID();
  const { first, change, refund } = upgraded(run);
  await here("whop", change);
  await whileOpen(
    (tx) =>
      applyDelivery(tx, adapterOf("whop").read(refund, new Date()), {
        actor: { kind: "webhook", requestId: "refund" },
        bodyDigest: null,
      }),
    () => here("whop", first),
  );
  expect(await keysOf(run)).toMatchObject([{ plan_tier: "basic", stretches: null }]);
});

/** Runs `work` in a transaction, starts `other` before that transaction commits, and waits for both. */
async function whileOpen(work: (tx: Transaction) => Promise<unknown>, other: () => Promise<unknown>) {
  const others: Promise<unknown>[] = [];
  await db().transaction(async (tx) => {
    await work(tx);
    others.push(other());
    await expect.poll(nWaiting, SOON).toBe(1);
  });
  await Promise.all(others);
}
const rotate = (tx: Transaction, key: postgres.Row) =>
  rotateKey(tx, { keyId: key.id, subscriptionId: key.subscription_id }, { kind: "worker" });

it("a refund of a change of plan that waits for a rotation of the key changes the new key", async () => {
  const run = randomUUID();
  const { first, change, refund } = upgraded(run);
  await here("whop", first);
  await here("whop", change);
  const [key] = await keysOf(run);
  await whileOpen(
    (tx) => rotate(tx, key!),
    () => here("whop", refund),
  );
  expect(await keysOf(run)).toMatchObject([{ plan_tier: "basic", stretches: null }]);
});

it("a link that waits for a rotation of the payer's key takes the payment from the new key", async () => {
  const run = randomUUID();
  const [a, b] = await subscribers(run);
  await here("stripe", subscriptionPayment(run, a!.email));
  const [key] = await keysOf(`a-${run}`);
  await whileOpen(
    (tx) => rotate(tx, key!),
    () => here("stripe", link(run, b!.ref)),
  );
  expect(await daysOf(run)).toEqual([
    { email: a!.email, days: 34 },
    { email: b!.email, days: 65 },
  ]);
});

/** Changes the address of all subscriptions of a run, as the account page does. */
async function changeAddress(tx: Transaction, run: string) {
  const [former, email] = [`${run}@once.example`, `new-${run}@once.example`];
  await lockBuyerAddresses(tx, [former, email]);
  const rows = await sql`select id from subscriptions where email_normalized = ${former}`;
  const subscriptionIds = rows.map(({ id }) => id);
  await replaceAddress(tx, { subscriptionIds, former, email, emailNormalized: email, keep: [] });
}
const generic = (wish: Parameters<typeof paymentEvent>[0]) =>
  here("generic", Buffer.from(toBytes(paymentEvent(wish))));

it("a refund without an address that waits for the payer's change of address ends the access", async () => {
  const run = randomUUID();
  await generic({ id: run, email: `${run}@once.example` });
  await whileOpen(
    (tx) => changeAddress(tx, run),
    () => generic({ event: "payment.invoice_refunded", id: run, email: undefined }),
  );
  expect(await keysOf(run)).toEqual([]);
  const flagged = await sql`select flags from payment_deliveries where invoice_id = ${run} and flags <> '{}'`;
  expect(flagged).toEqual([]);
});

it("a chargeback that is won during its buyer's change of address does not reinstate the old key if there is a newer one", async () => {
  const run = randomUUID();
  const email = `${run}@once.example`;
  await generic({ id: run, email });
  await generic({ event: "payment.invoice_chargeback", id: run, email });
  await generic({ email });
  await whileOpen(
    (tx) => changeAddress(tx, run),
    () =>
      db().transaction(async (tx) => {
        const context = { actor: { kind: "worker" }, isRepeated: false } as const;
        expect(await applyWonChargeback(tx, { invoiceId: run, buyer: null }, context)).toBe("for_a_person");
      }),
  );
  expect(await keysOf(run)).toHaveLength(1);
});

it("a delivery aborted by a deadlock in PostgreSQL is still applied", async () => {
  const [email, id] = [`${randomUUID()}@once.example`, `inv-${randomUUID()}`];
  const bytes = Buffer.from(toBytes(paymentEvent({ email, id, productId: "3031361" })));
  const work: Promise<unknown>[] = [];
  await db().transaction(async (tx) => {
    await lockBuyerAddress(tx, email);
    // The delivery holds the lock of its invoice and waits for the lock of its buyer.
    work.push(here("generic", bytes));
    await expect.poll(nWaiting, SOON).toBe(1);
    await lockInvoicesAndAddresses(tx, [id], []);
  });
  expect(await Promise.all(work)).toMatchObject([{ action: "api_key_created" }]);
});
