import { randomUUID } from "node:crypto";
import fc from "fast-check";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { parseGenericDelivery } from "@/lib/payments/delivery";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { sumRefunds } from "@/lib/payments/refunds";
import { copyProductMappings } from "@/tests/fuzz/payment-sequences";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { paymentEvent } from "@/tests/support/payments";
import { somePermutations } from "@/tests/support/permutations";
import {
  type DeliveryBody,
  FIXTURES,
  type Platform,
  platformBytes,
  type Sale,
} from "@/tests/support/platform-fixtures";

// Partial refunds of one payment of 99, and payments that are sent again with other facts.

useDatabase({ LOG_LEVEL: "error" });

let sql: postgres.Sql;
beforeAll(async () => {
  sql = connectDirectly();
  await copyProductMappings(sql);
});
afterAll(() => sql.end());

const PAID = 99;
type Source = Platform | "generic";

async function deliver(source: Source, body: DeliveryBody): Promise<void> {
  const bytes =
    source === "generic"
      ? Buffer.from(JSON.stringify({ ...body, nonce: randomUUID() }))
      : platformBytes(source, body, randomUUID());
  const actor = { kind: "webhook", requestId: "refunds" } as const;
  await receiveDelivery(db(), adapterOf(source), bytes, actor, 60_000);
}

function saleOf(run: string, wish: Partial<Sale> = {}): Sale {
  return {
    payment: `${run}/p`,
    subscription: `${run}/s`,
    first: true,
    product: "3031361",
    email: `${run}@refunds.example`,
    amount: PAID,
    paidAt: new Date(),
    ...wish,
  };
}

function paidBy(source: Source, sale: Sale): DeliveryBody[] {
  if (source !== "generic") return FIXTURES[source].paid(sale);
  return [genericEvent("payment.invoice_paid", sale, {})];
}

function genericEvent(event: string, sale: Sale, data: DeliveryBody): DeliveryBody {
  const items = [{ productId: sale.product, name: "Basic", quantity: 1, amount: sale.amount }];
  const written = paymentEvent({ event, id: sale.payment, email: sale.email, items });
  return { ...written, data: { ...written.data, ...data } };
}

/** The refund of `parts[i]`. Stripe and Lemon Squeezy state the sum so far, the others each refund's amount. */
function refundOf(source: Source, sale: Sale, parts: readonly number[], i: number): DeliveryBody {
  const part = parts[i]!;
  const soFar = parts.slice(0, i + 1).reduce((sum, each) => sum + each, 0);
  if (source === "generic") return genericEvent("payment.invoice_refunded", sale, { amount_refunded: part });
  if (source === "stripe" || source === "lemonsqueezy")
    return FIXTURES[source].refunded(sale, soFar === PAID ? null : soFar)[0]!;
  const [body] = FIXTURES[source].refunded(sale, part) as [DeliveryBody & { data: DeliveryBody }];
  return { ...body, data: { ...body.data, id: `refund-${i}-${sale.payment}` } };
}

/** Delivers the payment (place 0) and its refunds in this order, each twice, beside another purchase. */
async function play(source: Source, parts: readonly number[], order: readonly number[]) {
  const run = randomUUID().slice(0, 13);
  const sale = saleOf(run);
  await deliver("generic", genericEvent("payment.invoice_paid", { ...sale, payment: `${run}/other` }, {}));
  const paid = paidBy(source, sale);
  // Paddle introduces the customer first.
  const introduced = source === "paddle" ? paid.splice(0, 1) : [];
  for (const body of introduced) await deliver(source, body);
  for (const place of order) {
    const bodies = place === 0 ? paid : [refundOf(source, sale, parts, place - 1)];
    for (const body of [...bodies, ...bodies]) await deliver(source, body);
  }
  const [{ n } = { n: 0 }] = await sql`
    select count(*)::int as n from api_keys k join subscriptions s on s.id = k.subscription_id
     where s.email_normalized = ${sale.email} and k.revoked_at is null`;
  const waiting = await sql`
    select distinct on (d.id) flags from payment_deliveries d
     where flags <> '{}' and reviewed_at is null and invoice_id like ${`%${run}/p`} order by d.id`;
  return { nKeys: n, flags: [...new Set(waiting.flatMap(({ flags }) => flags as string[]))].sort() };
}

const ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

describe.each(["stripe", "paddle", "lemonsqueezy", "whop", "generic"] as const)(
  "partial refunds by %s",
  (source) => {
    it("partial refunds that add up to the whole payment are a full refund, in every order and repeated", async () => {
      for (const order of ORDERS)
        expect([order, await play(source, [40, 59], order)]).toEqual([
          order,
          { nKeys: 0, flags: ["another_paid_invoice"] },
        ]);
    }, 60_000);

    it("partial refunds of less than the payment leave access, in every order and repeated", async () => {
      for (const order of ORDERS)
        expect([order, await play(source, [40, 58], order)]).toEqual([
          order,
          { nKeys: 1, flags: ["partial_refund"] },
        ]);
    }, 60_000);
  },
);

describe("stripe: an invoice that two charges paid", () => {
  /** The charges' links, the payment, and the refund of each charge. */
  const bodiesOf = (run: string) => {
    const sale = saleOf(run);
    const event = (type: string, object: DeliveryBody): DeliveryBody => ({
      type,
      livemode: true,
      data: { object },
    });
    const link = (n: number) =>
      event("invoice_payment.paid", {
        id: `inpay_${n}_${run}`,
        invoice: `in_${sale.payment}`,
        payment: { payment_intent: `pi_${n}_${run}` },
      });
    const refund = (n: number, amount: number) =>
      event("charge.refunded", {
        id: `ch_${n}_${run}`,
        payment_intent: `pi_${n}_${run}`,
        currency: "usd",
        amount: amount * 100,
        amount_refunded: amount * 100,
        refunded: true,
      });
    const dispute = (type: string, n: number, status: string) =>
      event(type, {
        id: `dp_${n}_${run}`,
        payment_intent: `pi_${n}_${run}`,
        charge: `ch_${n}_${run}`,
        status,
      });
    return {
      sale,
      told: [
        FIXTURES.stripe.paid(sale)[0]!,
        link(1),
        link(2),
        refund(1, 40),
        refund(2, PAID - 40),
        ...[1, 2].map((n) => dispute("charge.dispute.created", n, "needs_response")),
        ...[1, 2].map((n) => dispute("charge.dispute.closed", n, "won")),
      ],
    };
  };
  /** The keys of the buyer that work, and the flags that wait for a person. */
  async function play(order: readonly number[]): Promise<{ nKeys: number; flags: string[] }> {
    const run = randomUUID().slice(0, 13);
    const { sale, told } = bodiesOf(run);
    for (const place of order) await deliver("stripe", told[place]!);
    const keys = await sql`
      select 1 from api_keys k join subscriptions s on s.id = k.subscription_id
       where s.email_normalized = ${sale.email} and k.revoked_at is null`;
    const waiting = await sql`
      select flags from payment_deliveries
       where flags <> '{}' and reviewed_at is null and invoice_id like ${`%${run}%`}`;
    return { nKeys: keys.length, flags: [...new Set(waiting.flatMap(({ flags }) => flags as string[]))] };
  }
  it.each([
    ["one charge leaves access and is flagged", [0, 1, 2, 3], 1, ["partial_refund"]],
    ["both charges ends access", [0, 1, 2, 3, 4], 0, []],
  ] as const)(
    "for an invoice paid by two charges, a refund of %s, in up to twelve orders of the events",
    async (_, places, n, flags) => {
      const wrong: unknown[] = [];
      for (const order of somePermutations(places, 12)) {
        const { nKeys, flags: found } = await play(order);
        if (nKeys !== n || found.join() !== flags.join()) wrong.push([order, nKeys, found]);
      }
      expect(wrong).toEqual([]);
    },
    120_000,
  );

  const [PAYMENT, LINK_1, LINK_2, REFUND_1, REFUND_2, DISPUTE_1, DISPUTE_2, WON_1, WON_2] = [
    ...Array(9).keys(),
  ];
  const EVENTS = [PAYMENT, LINK_1, LINK_2] as number[];

  it.each([
    ["payment, refund, chargeback", [...EVENTS, REFUND_2, DISPUTE_1]],
    ["links, refund, chargeback, payment", [LINK_1, LINK_2, REFUND_2, DISPUTE_1, PAYMENT]],
    ["refund, links, chargeback, payment", [REFUND_2, LINK_1, LINK_2, DISPUTE_1, PAYMENT]],
    ["refund and chargeback of one charge, payment, links", [REFUND_2, DISPUTE_2, ...EVENTS]],
  ])(
    "for an invoice paid by two charges, a refund of one charge does not undo a chargeback: %s",
    async (_, order) => {
      expect((await play(order as number[])).nKeys).toBe(0);
    },
  );

  it.each([
    ["after both chargebacks", [...EVENTS, DISPUTE_1, DISPUTE_2, WON_1]],
    ["before both chargebacks", [...EVENTS, WON_1, DISPUTE_1, DISPUTE_2]],
    ["after both chargebacks, which came before the payment", [DISPUTE_1, DISPUTE_2, ...EVENTS, WON_1]],
    ["after the refunds of both charges", [DISPUTE_1, REFUND_1, REFUND_2, ...EVENTS, WON_1]],
  ])(
    "for an invoice paid by two charges, winning one chargeback restores no access while the other charge is charged back or refunded: %s",
    async (_, order) => {
      expect((await play(order as number[])).nKeys).toBe(0);
    },
  );

  it.each([
    ["payment, links, chargebacks", [...EVENTS, DISPUTE_1, DISPUTE_2, WON_1, WON_2]],
    ["chargebacks, payment, links", [DISPUTE_1, DISPUTE_2, ...EVENTS, WON_1, WON_2]],
    ["chargeback, payment, its link, won, its refund", [DISPUTE_1, PAYMENT, LINK_1, WON_1, REFUND_1, LINK_2]],
  ])(
    "for an invoice paid by two charges, access is restored when every chargeback is won: %s",
    async (_, order) => {
      const { nKeys, flags } = await play(order as number[]);
      expect([nKeys, flags.filter((flag) => flag !== "partial_refund")]).toEqual([1, []]);
    },
  );
});

it.each(["stripe", "paddle"] as const)(
  "%s: an early refund stays when an early chargeback is won, and the later payment gives no access",
  async (platform) => {
    const sale = saleOf(randomUUID().slice(0, 13));
    const { chargeback, refunded, chargebackWon, paid } = FIXTURES[platform];
    for (const bodies of [chargeback(sale), refunded(sale, null), chargebackWon(sale)])
      for (const body of bodies ?? []) await deliver(platform, body);
    const invoices = await sql`
      select state, ended_by from invoices where invoice_id like ${`%${sale.payment}%`}`;
    expect(invoices).toEqual([{ state: "ended", ended_by: "payment.invoice_refunded" }]);
    for (const body of paid(sale)) await deliver(platform, body);
    const working = await sql`
      select k.id from api_keys k join subscriptions s on s.id = k.subscription_id
       where s.email_normalized = ${sale.email} and k.revoked_at is null`;
    expect(working).toEqual([]);
  },
);

it("whop: a dispute that is reported again after it was won does not end access", async () => {
  const sale = saleOf(randomUUID().slice(0, 13));
  const [created] = FIXTURES.whop.chargeback(sale) as [DeliveryBody];
  const events = [
    ...FIXTURES.whop.paid(sale),
    created,
    ...FIXTURES.whop.chargebackWon(sale)!,
    { ...created, type: "dispute.updated" },
  ];
  for (const body of events) await deliver("whop", body);
  const keys = await sql`
    select k.revoked_at from api_keys k join subscriptions s on s.id = k.subscription_id
     where s.email_normalized = ${sale.email}`;
  expect(keys).toEqual([{ revoked_at: null }]);
});

it.each([
  ["before both refunds", [0, 3, 1, 2]],
  ["between the two refunds", [0, 1, 3, 2]],
  ["before the payment and both refunds", [3, 0, 2, 1]],
])("paddle: a partial refund that was reversed does not count, with the reversal %s", async (_, order) => {
  const sale = saleOf(randomUUID().slice(0, 13));
  const [customer, ...paid] = FIXTURES.paddle.paid(sale);
  const first = refundOf("paddle", sale, [40, 59], 0) as DeliveryBody & { data: DeliveryBody };
  const events = [
    paid,
    [first],
    [refundOf("paddle", sale, [40, 59], 1)],
    [{ ...first, data: { ...first.data, status: "reversed" } }],
  ];
  await deliver("paddle", customer!);
  for (const place of order) for (const body of events[place]!) await deliver("paddle", body);
  const keys = await sql`
    select k.revoked_at from api_keys k join subscriptions s on s.id = k.subscription_id
     where s.email_normalized = ${sale.email}`;
  expect(keys).toEqual([{ revoked_at: null }]);
});

it.each([
  ["paddle", { currency_code: "EUR" }],
  ["whop", { currency: "eur" }],
  ["generic", { currency: "EUR" }],
] as const)("%s: a refund in another currency leaves access and is flagged", async (source, currency) => {
  const run = randomUUID().slice(0, 13);
  const sale = saleOf(run);
  for (const body of source === "generic"
    ? [genericEvent("payment.invoice_paid", sale, { currency: "USD" })]
    : paidBy(source, sale))
    await deliver(source, body);
  const refund = refundOf(source, sale, [99.5], 0) as DeliveryBody & { data: DeliveryBody };
  await deliver(source, { ...refund, data: { ...refund.data, ...currency } });
  const [row] = await sql`
    select flags from payment_deliveries where invoice_id like ${`%${run}/p`} order by id desc limit 1`;
  expect(row!.flags).toEqual(["partial_refund", "refund_mismatch"]);
  const keys = await sql`
    select k.revoked_at from api_keys k join subscriptions s on s.id = k.subscription_id
     where s.email_normalized = ${sale.email}`;
  expect(keys).toEqual([{ revoked_at: null }]);
});

describe("sumRefunds", () => {
  const read = (amount: number, data: DeliveryBody = {}) =>
    parseGenericDelivery(
      Buffer.from(
        JSON.stringify({
          event: "payment.invoice_refunded",
          data: { id: "i", amount_refunded: amount, ...data },
        }),
      ),
      new Date(),
    );
  const paid = { amount: "99", currency: null };

  it("sumRefunds gives the same sum in any order and however often a refund is reported", () => {
    const cents = fc.integer({ min: 1, max: 3_000 });
    fc.assert(
      fc.property(
        fc.array(cents, { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat()),
        (parts, dice) => {
          const refunds = parts.map((part, i) => read(part / 100, { refund_id: `r${i}` }));
          const total = parts.reduce((sum, part) => sum + part, 0);
          const shuffled = [...refunds, ...refunds.slice(1)]
            .map((refund) => ({ refund, place: dice.next().value }))
            .sort((a, b) => a.place - b.place)
            .map(({ refund }) => refund);
          const sum = sumRefunds(shuffled, paid);
          expect(Number(sum!.amount)).toBe(total / 100);
          expect(sum!.isWhole).toBe(total >= 9_900);
          expect(sum!.isMismatch).toBe(total > 9_900);
        },
      ),
    );
  });

  it("sumRefunds adds different amounts without refund ids, and marks a sum over the payment as a mismatch", () => {
    expect(sumRefunds([read(40), read(40)], paid)).toMatchObject({ amount: "40", isWhole: false });
    expect(sumRefunds([read(40), read(59)], paid)).toMatchObject({ isWhole: true, isMismatch: false });
    // Such a platform may state the sum so far.
    expect(sumRefunds([read(40), read(70)], paid)).toMatchObject({ isWhole: false, isMismatch: true });
    expect(sumRefunds([read(40), read(99)], paid)).toMatchObject({ isWhole: true });
  });
});

describe("a payment sent again with other facts", () => {
  const changes: [string, Partial<Sale>][] = [
    ["another product", { product: "3031078" }],
    ["another amount", { amount: 9 }],
    ["another buyer", { email: `${randomUUID()}@refunds.example` }],
  ];
  it.each(
    (["stripe", "paddle", "lemonsqueezy", "whop", "gumroad", "generic"] as const).flatMap((source) =>
      changes.map(([title, change]) => ({ source, title, change })),
    ),
  )(
    "$source: a payment sent again with $title changes nothing and is flagged for review",
    async ({ source, change }) => {
      const run = randomUUID().slice(0, 13);
      const sale = saleOf(run);
      const event = source === "paddle" ? 1 : 0;
      for (const body of paidBy(source, sale)) await deliver(source, body);
      const keys = () => sql`
      select k.plan_tier, k.expires_at, s.email_normalized from api_keys k
        join subscriptions s on s.id = k.subscription_id where s.email_normalized like ${`%@refunds.example`}
       order by k.id`;
      const before = await keys();
      const flagsNow = async () =>
        (await sql`select flags from payment_deliveries order by id desc limit 1`)[0]!.flags;
      await deliver(source, paidBy(source, sale)[event]!);
      expect(await flagsNow()).toEqual([]);
      await deliver(source, paidBy(source, { ...sale, ...change })[event]!);
      expect(await flagsNow()).toEqual(["changed_payment"]);
      expect(await keys()).toEqual(before);
    },
  );
});
