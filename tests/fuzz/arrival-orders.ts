import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { db } from "@/db/client";
import { uniformSource } from "@/lib/engine/random";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { deliveryBodyDigest } from "@/lib/payments/delivery";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { signSubscriberRef } from "@/lib/runtime/subscriber-ref";
import { listLocks } from "@/tests/support/locks";
import { permutations, somePermutations } from "@/tests/support/permutations";
import {
  type DeliveryBody,
  PLATFORMS,
  type Platform,
  platformBytes,
} from "@/tests/support/platform-fixtures";
import { type Deliver, retryOnLockTimeout } from "@/tests/support/start-payment-process";

/** A platform and the body of an event as that platform sends it. */
type Told = readonly [Platform | "generic", DeliveryBody];

const DAY_S = 86_400;
/** Allowed difference between the ends of access of two deliveries of the same purchase; plans last whole days. */
const TOLERANCE_MS = 3_600_000;
/** Tolerance between this clock and the database's. */
const CLOCK_TOLERANCE_MS = 60_000;
/** Maximum number of orders tried for a purchase, except in `npm run test:machine`. */
export const MAX_ARRIVAL_ORDERS = 24;
const ACTOR = { kind: "webhook", requestId: "orders" } as const;

const deliverHere: Deliver = (platform, bytes) =>
  receiveDelivery(db(), adapterOf(platform), bytes, ACTOR, 60_000);

/** Maps a month of Basic and of Pro on each platform. */
export async function mapPlatformProducts(sql: postgres.Sql): Promise<void> {
  for (const adapter of PLATFORMS)
    await sql`
      insert into products (adapter, external_id, plan_tier, period_days, grace_days)
      values (${adapter}, 'basic', 'basic', 31, 3), (${adapter}, 'pro', 'pro', 31, 3) on conflict do nothing`;
}

/**
 * Draws purchases that several events report (checkout sessions with a separate invoice, subscriptions by a link,
 * trials, changes of plan, separate customer events, refunds) and delivers each to two buyers: once in order, once
 * shuffled and with repetitions. Both buyers must end with the same access. Nothing may be flagged for an
 * administrator, except a refund that ended access although another invoice was paid, and a second trial. Throws with
 * the seed of a difference.
 */
export async function runArrivalOrders(
  sql: postgres.Sql,
  { purchases, seed, lanes = 1 }: { purchases: number; seed: number; lanes?: number },
): Promise<{ purchases: number; deliveries: number }> {
  await mapPlatformProducts(sql);
  const report = { purchases: 0, deliveries: 0 };
  let next = 0;
  const lane = async () => {
    while (next < purchases) {
      const own = seed + next++;
      const purchase = new PurchaseRun(sql, drawPurchase(own), report);
      const random = uniformSource(own + 0.5);
      const doubled = [...purchase.places, ...purchase.places.filter(() => random() < 0.3)];
      await purchase.run([doubled.toSorted(() => random() - 0.5)]);
      report.purchases++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return report;
}

/**
 * Draws the same purchases as `runArrivalOrders` and delivers all events of each, most of them doubled, at the same
 * time: one half to this process and the other half to a second one. Every purchase must have the same result as when
 * its events arrive in order. Throws with the seed of a difference.
 */
export async function runConcurrentArrivals(
  sql: postgres.Sql,
  { purchases, seed, elsewhere }: { purchases: number; seed: number; elsewhere: Deliver },
): Promise<{ purchases: number; deliveries: number }> {
  await mapPlatformProducts(sql);
  const report = { purchases, deliveries: 0 };
  for (let own = seed; own < seed + purchases; own++) {
    const purchase = new PurchaseRun(sql, drawPurchase(own), report);
    const random = uniformSource(own + 0.5);
    const doubled = [...purchase.places, ...purchase.places.filter(() => random() < 0.6)];
    await purchase.run([doubled.toSorted(() => random() - 0.5)], {
      replicas: [deliverHere, elsewhere].map(retryOnLockTimeout),
    });
  }
  return report;
}

interface Ending {
  /** The plans of each key that is not revoked, the buyer's key first. */
  plans: string[];
  leftMs: number[];
  flags: string[];
}

type Kind = keyof typeof PURCHASES;

interface PurchaseSpec {
  /** Names the purchase in an error message. */
  title: string;
  kinds: readonly Kind[];
  isRefunded: boolean;
  /** Whether the buyer already has a key from another payment. */
  isKnown: boolean;
}

function drawPurchase(seed: number): PurchaseSpec {
  const random = uniformSource(seed);
  const names = Object.keys(PURCHASES) as Kind[];
  const n = 1 + Math.floor(random() * 3);
  const kinds = Array.from({ length: n }, () => names[Math.floor(random() * names.length)]!);
  const [kind] = kinds as [Kind];
  // Only a single purchase is refunded: with several payments, a refund's effect depends on their order, as documented.
  const isRefunded = n === 1 && kind !== "upgrade" && kind !== "variant" && random() < 0.4;
  const isKnown = !isRefunded || isByLink(kind) || random() < 0.5;
  return {
    title: `seed ${seed}: ${kinds.join(", ")}${isRefunded ? ", refunded" : ""}`,
    kinds,
    isRefunded,
    isKnown,
  };
}

/**
 * Delivers the events of one kind of purchase in every order, or in at most MAX_ARRIVAL_ORDERS outside `npm run test:machine`.
 * Each order must give the same access as the platform's own order. Returns the number of orders.
 */
export async function runEveryArrivalOrder(
  sql: postgres.Sql,
  kind: Kind,
  { isRefunded }: { isRefunded: boolean },
): Promise<number> {
  await mapPlatformProducts(sql);
  const spec = { title: `every order: ${kind}`, kinds: [kind], isRefunded, isKnown: true };
  const purchase = new PurchaseRun(sql, spec, { deliveries: 0 });
  const tried = somePermutations(purchase.places, MAX_ARRIVAL_ORDERS);
  await purchase.run(tried);
  return tried.length;
}

/**
 * Delivers the events of one kind of purchase so that two successive deliveries overlap: the second one begins when the
 * first one has only its inbox row and the commit left. Tries every order and every such pair, or only the given ones.
 * The access must be the same as without overlap. Returns the number of combinations tried.
 */
export async function runOverlappingDeliveries(
  sql: postgres.Sql,
  kind: Kind,
  { isRefunded, only }: { isRefunded: boolean; only?: { order: readonly number[]; place: number } },
): Promise<number> {
  await mapPlatformProducts(sql);
  const spec = { title: `overlaps: ${kind}`, kinds: [kind], isRefunded, isKnown: true };
  const purchase = new PurchaseRun(sql, spec, { deliveries: 0 });
  const tried = only ? [only.order] : permutations(purchase.places);
  const places = only ? [only.place] : purchase.places.slice(1).map((place) => place - 1);
  for (const overlapAt of places) await purchase.run(tried, { overlapAt });
  return tried.length * places.length;
}

/**
 * How events arrive: all at the same time, distributed over these replicas, or one after the other except that the event
 * at index `overlapAt` overlaps with the next one.
 */
type Arrival = { replicas: readonly Deliver[] } | { overlapAt: number };

class PurchaseRun {
  constructor(
    readonly sql: postgres.Sql,
    readonly spec: PurchaseSpec,
    readonly report: { deliveries: number },
  ) {}

  /** Indices of the events in the platform's own order. */
  get places(): number[] {
    return this.#events({ run: "", email: "", ref: "", paidAt: 0 }).map((_, i) => i);
  }

  /**
   * Delivers the events in the platform's own order and, for other buyers, in each of the orders `tried`, arriving as
   * `arrival` says. Throws unless all buyers end with the same access, and with the right one.
   */
  async run(tried: readonly (readonly number[])[], arrival?: Arrival): Promise<void> {
    const { title, kinds, isRefunded, isKnown } = this.spec;
    const inOrder = await this.#play(this.places);
    // The refund of a change of plan restores the former plan; the refund of a purchase revokes every key.
    const takesKeys = isRefunded && !["change", "membershipChange", "transactionChange"].includes(kinds[0]!);
    const flags = takesKeys && isKnown ? ["another_paid_invoice"] : [];
    // A payer who used another subscriber's link keeps the key of an earlier payment.
    const owners = [...(takesKeys ? [] : ["buyer"]), ...kinds.filter(isByLink).map(() => "other")];
    const isRight =
      inOrder.plans.map((plans) => plans.split(":")[0]).join() === owners.join() &&
      // Every purchase ends with the plan Pro.
      (isRefunded || inOrder.plans[0]!.startsWith("buyer: pro")) &&
      inOrder.flags.join() === flags.join();
    for (const order of tried) {
      const shuffled = await this.#play(order, arrival);
      const isSame =
        inOrder.plans.join() === shuffled.plans.join() &&
        inOrder.leftMs.every((ms, i) => Math.abs(ms - shuffled.leftMs[i]!) < TOLERANCE_MS) &&
        inOrder.flags.join() === shuffled.flags.join();
      if (!isSame || !isRight)
        throw new Error(
          `${title}\nin order ${JSON.stringify(inOrder)}\nshuffled ${JSON.stringify(shuffled)}\n${this.#delivered.join("\n")}`,
        );
    }
  }

  #delivered: string[] = [];

  #events({ run, ...buying }: Buying): Told[] {
    return this.spec.kinds.flatMap((kind, i) => {
      const { told, refund } = PURCHASES[kind]({ ...buying, run: `${run}/${i}` });
      return this.spec.isRefunded ? [...told, ...refund] : told;
    });
  }

  async #play(order: readonly number[], arrival?: Arrival): Promise<Ending> {
    const run = randomUUID().slice(0, 13);
    const email = `${run}@orders.example`;
    const since = new Date(Date.now() - CLOCK_TOLERANCE_MS);
    // The subscriber whom links name already has a key.
    if (this.spec.isKnown) await this.#deliver(["generic", genericPayment(run, email)]);
    const [{ subscription_id: id } = { subscription_id: 0 }] = await this.sql`
      select k.subscription_id from api_keys k join subscriptions s on s.id = k.subscription_id
       where s.email_normalized = ${email}`;
    const buying = { run, email, ref: signSubscriberRef(id), paidAt: Math.floor(Date.now() / 1000) };
    const events = this.#events(buying);
    const before = this.spec.kinds.flatMap((kind, i) =>
      PURCHASES[kind]({ ...buying, run: `${run}/${i}` }).before(),
    );
    for (const each of before) await this.#deliver(each);
    const told = order.map((place) => events[place]!);
    this.#delivered = told.map(([platform, body]) => `${platform} ${nameOf(body)}`);
    const postponed: Told[] = [];
    const deliver = async (each: Told, by?: Deliver) => {
      if (!(await this.#deliver(each, by))) postponed.push(each);
    };
    if (arrival && "replicas" in arrival) {
      const { replicas } = arrival;
      await Promise.all(told.map((each, i) => deliver(each, replicas[i % replicas.length])));
    } else
      for (let i = 0; i < told.length; i++) {
        const next = told[i + 1];
        if (i !== arrival?.overlapAt || !next) await deliver(told[i]!);
        else
          await deliver(
            told[i++]!,
            this.#overlapping(() => deliver(next, retryOnLockTimeout(deliverHere))),
          );
      }
    for (const each of postponed) await this.#deliver(each);
    return this.#ending(run, since);
  }

  /** Delivers one event. Returns false when the platform has to send it again. */
  async #deliver([platform, body]: Told, deliver: Deliver = deliverHere): Promise<boolean> {
    this.report.deliveries++;
    const bytes =
      platform === "generic"
        ? Buffer.from(JSON.stringify(body))
        : platformBytes(platform, body, String(this.report.deliveries));
    try {
      await deliver(platform, bytes);
      return true;
    } catch (error) {
      if ((error as { code?: string }).code === "conflict") return false;
      throw new Error(`${this.spec.title}: a delivery failed`, { cause: error });
    }
  }

  /** Delivers an event, and begins `next` when that delivery has only its inbox row and the commit left. */
  #overlapping(next: () => Promise<unknown>): Deliver {
    return async (platform, bytes) => {
      let nEnded = 0;
      const begin = (work: Promise<unknown>) => {
        const ended = work.finally(() => nEnded++);
        ended.catch(() => undefined);
        return ended;
      };
      const isHeld = async (n: number) => {
        const nWaiting = (await listLocks(this.sql)).filter(({ granted }) => !granted).length;
        return nEnded + nWaiting >= n || sleep(5).then(() => false);
      };
      const works: Promise<unknown>[] = [];
      await this.sql.begin(async (holder) => {
        // A delivery writes its inbox row last. There it waits for this uncommitted row with the same digest.
        const digest = deliveryBodyDigest(bytes, platform);
        await holder`
          insert into payment_deliveries (body_digest, payload_encrypted, action, answer)
          values (${digest}, '', 'held', '{}')`;
        works.push(begin(deliverHere(platform, bytes)));
        while (!(await isHeld(1)));
        works.push(begin(next()));
        while (!(await isHeld(2)));
        await holder`delete from payment_deliveries where body_digest = ${digest}`;
      });
      await Promise.all(works);
    };
  }

  /** `since`: a time before the first delivery. The conditions use indexes, so that earlier purchases are not read. */
  async #ending(run: string, since: Date): Promise<Ending> {
    const keys = await this.sql`
      select k.plan_tier, k.stretches, extract(epoch from k.expires_at - now()) * 1000 as left_ms,
             s.email_normalized like 'other%' as is_other
        from api_keys k join subscriptions s on s.id = k.subscription_id
       where (s.email_normalized like ${`${run}%`} or s.email_normalized like ${`other-${run}%`}) and k.revoked_at is null
       order by s.email_normalized like 'other%', s.email_normalized`;
    const waiting = await this.sql`
      select flags from payment_deliveries
       where flags <> '{}' and reviewed_at is null and received_at > ${since}
         and invoice_id like ${`%${run}%`} order by id`;
    return {
      plans: keys.map(({ plan_tier, stretches, is_other }) => {
        const plans: { plans: string[] }[] = stretches ?? [{ plans: [plan_tier] }];
        return `${is_other ? "other" : "buyer"}: ${plans.map(({ plans: at }) => at.join("+")).join(", ")}`;
      }),
      leftMs: keys.map(({ left_ms }) => Number(left_ms)),
      // A second trial is flagged in any order.
      flags: waiting
        .flatMap(({ flags }) => flags as string[])
        .filter((flag) => flag !== "another_trial")
        .sort(),
    };
  }
}

const nameOf = (body: DeliveryBody) =>
  String(
    body.type ??
      body.event_type ??
      (body.meta as { event_name?: string } | undefined)?.event_name ??
      body.resource_name,
  );

interface Buying {
  run: string;
  email: string;
  ref: string;
  paidAt: number;
}
interface Purchase {
  /** Events before the purchase, in order. */
  before: () => Told[];
  told: Told[];
  refund: Told[];
}

const genericPayment = (run: string, email: string): DeliveryBody => ({
  event: "payment.invoice_paid",
  data: {
    id: `first/${run}`,
    status: "paid",
    items: [{ productId: "3031361", name: "Basic", quantity: 1, amount: 9 }],
    buyer: { name: "Ada", email },
    paid_at: new Date().toISOString(),
  },
});

const stripe = (type: string, object: DeliveryBody, data: DeliveryBody = {}): Told => [
  "stripe",
  { type, livemode: true, data: { object, ...data } },
];
const line = (product: string, wish: DeliveryBody = {}): DeliveryBody => ({
  amount: 900,
  quantity: 1,
  pricing: { price_details: { price: product, product: "prod_any" } },
  ...wish,
});
const invoice = ({ run, email, paidAt }: Buying, wish: DeliveryBody): DeliveryBody => ({
  id: `in_${run}`,
  customer_email: email,
  currency: "usd",
  amount_paid: 900,
  status_transitions: { paid_at: paidAt },
  ...wish,
});
const refunded = (run: string): Told =>
  stripe("charge.refunded", {
    id: `ch_${run}`,
    payment_intent: `pi_${run}`,
    refunded: true,
    amount: 900,
    amount_refunded: 900,
    currency: "usd",
  });
const linked = (run: string, invoiceId = `in_${run}`): Told =>
  stripe("invoice_payment.paid", {
    id: `inpay_${run}`,
    invoice: invoiceId,
    payment: { payment_intent: `pi_${run}` },
  });
const nothingBefore = () => [];
/** Whether a purchase uses the buyer's renewal link but is paid from another address, which already has a key. */
const isByLink = (kind: string) => kind === "byLink" || kind === "sessionByLink";
const otherOf = ({ run }: Buying) => `other-${run.replace("/", "-")}@orders.example`;
const ownKey = (buying: Buying) => (): Told[] => [
  ["generic", genericPayment(`own-${buying.run}`, otherOf(buying))],
];

const PURCHASES = {
  /** A checkout session that names no invoice, and its invoice as a separate event. */
  session: (buying) => ({
    before: nothingBefore,
    told: [
      stripe("checkout.session.completed", {
        id: `cs_${buying.run}`,
        mode: "payment",
        payment_status: "paid",
        payment_intent: `pi_${buying.run}`,
        invoice: null,
        metadata: { product_id: "pro" },
        amount_total: 900,
        currency: "usd",
        created: buying.paidAt,
        customer_details: { email: buying.email, name: "Ada" },
      }),
      stripe("invoice.paid", invoice(buying, { billing_reason: "manual", lines: { data: [line("pro")] } })),
      linked(buying.run),
    ],
    refund: [refunded(buying.run)],
  }),
  /** A subscription started from a link of the service, paid with another address. */
  byLink: (buying) => {
    const other = otherOf(buying);
    const subscription = `sub_${buying.run}`;
    return {
      before: ownKey(buying),
      told: [
        stripe("checkout.session.completed", {
          id: `cs_${buying.run}`,
          mode: "subscription",
          payment_status: "paid",
          invoice: `in_${buying.run}`,
          subscription,
          client_reference_id: buying.ref,
          created: buying.paidAt,
        }),
        stripe(
          "invoice.paid",
          invoice(buying, {
            customer_email: other,
            billing_reason: "subscription_create",
            parent: { subscription_details: { subscription } },
            lines: { data: [line("pro")] },
          }),
        ),
        linked(buying.run),
      ],
      refund: [refunded(buying.run)],
    };
  },
  /** A single purchase from a link of the service, paid with another address. */
  sessionByLink: (buying) => ({
    before: ownKey(buying),
    told: [
      stripe("checkout.session.completed", {
        id: `cs_${buying.run}`,
        mode: "payment",
        payment_status: "paid",
        payment_intent: `pi_${buying.run}`,
        invoice: null,
        metadata: { product_id: "pro" },
        client_reference_id: buying.ref,
        amount_total: 900,
        currency: "usd",
        created: buying.paidAt,
        customer_details: { email: otherOf(buying), name: "Ada" },
      }),
      stripe(
        "invoice.paid",
        invoice(buying, {
          customer_email: otherOf(buying),
          billing_reason: "manual",
          lines: { data: [line("pro")] },
        }),
      ),
      linked(buying.run),
    ],
    refund: [refunded(buying.run)],
  }),
  /** An upgrade within a period, with its charge. */
  change: (buying) => {
    const subscription = `sub_${buying.run}`;
    const parent = { subscription_details: { subscription } };
    const proration = { parent: { subscription_item_details: { proration: true } } };
    const object = {
      id: subscription,
      items: { data: [{ quantity: 1, price: { id: "pro", product: "p" } }] },
    };
    const charge = { ...buying, run: `${buying.run}-up` };
    return {
      before: nothingBefore,
      told: [
        stripe(
          "invoice.paid",
          invoice(buying, {
            billing_reason: "subscription_create",
            parent,
            lines: { data: [line("basic")] },
          }),
        ),
        stripe("customer.subscription.updated", object, { previous_attributes: { items: { data: [] } } }),
        stripe(
          "invoice.paid",
          invoice(charge, {
            billing_reason: "subscription_update",
            parent,
            lines: {
              data: [
                line("basic", { ...proration, amount: -400 }),
                line("pro", { ...proration, amount: 900 }),
              ],
            },
          }),
        ),
        linked(charge.run),
      ],
      refund: [refunded(charge.run)],
    };
  },
  /** An upgrade within a period on a platform that reports only its charge. */
  membershipChange: ({ run, email, paidAt }) => {
    const payment = (id: string, plan: string, billing_reason: string): DeliveryBody => ({
      id,
      status: "paid",
      paid_at: new Date(paidAt * 1000).toISOString(),
      billing_reason,
      currency: "usd",
      total: 9,
      plan: { id: plan },
      user: { email, name: "Ada" },
      membership: { id: `mem_${run}`, status: "active" },
    });
    const charge = payment(`pay_up_${run}`, "pro", "subscription_update");
    return {
      before: nothingBefore,
      told: [
        ["whop", { type: "payment.succeeded", data: payment(`pay_${run}`, "basic", "subscription_create") }],
        ["whop", { type: "payment.succeeded", data: charge }],
      ],
      refund: [
        [
          "whop",
          {
            type: "refund.created",
            data: { id: `rf_${run}`, status: "succeeded", amount: 9, payment: charge },
          },
        ],
      ],
    };
  },
  /** A subscription whose variant changes. */
  variant: ({ run, email, paidAt }) => {
    const told = (event_name: string, id: string, attributes: DeliveryBody): Told => [
      "lemonsqueezy",
      {
        meta: { event_name, test_mode: false },
        data: { id, attributes: { user_email: email, ...attributes } },
      },
    ];
    return {
      before: nothingBefore,
      told: [
        told("order_created", `o${run}`, {
          currency: "USD",
          status: "paid",
          total: 900,
          created_at: new Date(paidAt * 1000).toISOString(),
          first_order_item: { variant_id: "basic", product_id: 1, quantity: 1 },
        }),
        told("subscription_created", `s${run}`, {
          order_id: `o${run}`,
          status: "active",
          variant_id: "basic",
        }),
        told("subscription_updated", `s${run}`, { status: "active", variant_id: "pro", product_id: 1 }),
      ],
      refund: [],
    };
  },
  /** An upgrade that credits the rest of the period and begins a new one. */
  upgrade: ({ run, email, paidAt }) => {
    const at = (seconds: number) => new Date((paidAt + seconds) * 1000).toISOString();
    const sale = (id: string, product_id: string, sale_timestamp: string): DeliveryBody => ({
      resource_name: "sale",
      product_id,
      email,
      price: 900,
      currency: "usd",
      quantity: 1,
      sale_id: `${id}_${run}`,
      sale_timestamp,
      subscription_id: `gsub_${run}`,
    });
    return {
      before: nothingBefore,
      told: [
        ["gumroad", sale("sale", "basic", at(-20 * DAY_S))],
        [
          "gumroad",
          {
            resource_name: "subscription_updated",
            subscription_id: `gsub_${run}`,
            type: "upgrade",
            effective_as_of: at(-4),
            "new_plan[tier][id]": "pro",
            "new_plan[quantity]": 1,
          },
        ],
        ["gumroad", { ...sale("up", "pro", at(-2)), is_recurring_charge: true }],
      ],
      refund: [],
    };
  },
  /** A transaction with a separate customer event. */
  customer: ({ run, email, paidAt }) => ({
    before: nothingBefore,
    told: [
      ["paddle", { event_type: "customer.created", data: { id: `ctm_${run}`, email, name: "Ada" } }],
      [
        "paddle",
        {
          event_type: "transaction.completed",
          data: {
            id: `txn_${run}`,
            origin: "web",
            customer_id: `ctm_${run}`,
            subscription_id: `sub_${run}`,
            currency_code: "USD",
            billed_at: new Date(paidAt * 1000).toISOString(),
            items: [{ quantity: 1, price: { id: "pro", product_id: "p" } }],
            details: { totals: { grand_total: "900" } },
          },
        },
      ],
    ],
    refund: [
      [
        "paddle",
        {
          event_type: "adjustment.created",
          data: { action: "refund", type: "full", status: "approved", transaction_id: `txn_${run}` },
        },
      ],
    ],
  }),
  /** An upgrade with a separate charge. The customer's address arrives in a separate event. */
  transactionChange: ({ run, email, paidAt }) => {
    const at = (days: number) => new Date((paidAt + days * DAY_S) * 1000).toISOString();
    const transaction = (id: string, origin: string, items: DeliveryBody[]): Told => [
      "paddle",
      {
        event_type: "transaction.completed",
        data: {
          id,
          origin,
          customer_id: `ctm_${run}`,
          subscription_id: `sub_${run}`,
          currency_code: "USD",
          billed_at: at(0),
          billing_period: { starts_at: at(0), ends_at: at(30) },
          items,
          details: { totals: { grand_total: "900" } },
        },
      },
    ];
    const price = (id: string): DeliveryBody => ({ id, product_id: "p" });
    return {
      before: (): Told[] => [
        ["paddle", { event_type: "customer.created", data: { id: `ctm_${run}`, email, name: "Ada" } }],
      ],
      told: [
        transaction(`txn_${run}`, "web", [{ quantity: 1, price: price("basic") }]),
        [
          "paddle",
          {
            event_type: "subscription.updated",
            data: {
              id: `sub_${run}`,
              status: "active",
              current_billing_period: { starts_at: at(0), ends_at: at(30) },
              items: [{ quantity: 1, recurring: true, price: price("pro") }],
            },
          },
        ],
        transaction(`txn_up_${run}`, "subscription_update", [
          { quantity: -1, price: price("basic"), proration: { rate: "1" } },
          { quantity: 1, price: price("pro"), proration: { rate: "1" } },
        ]),
      ],
      refund: [
        [
          "paddle",
          {
            event_type: "adjustment.created",
            data: {
              id: `adj_${run}`,
              action: "refund",
              type: "full",
              status: "approved",
              transaction_id: `txn_up_${run}`,
            },
          },
        ],
      ],
    };
  },
  /** A trial: an order of amount zero, and the subscription with the end of the trial. */
  trialOrder: ({ run, email, paidAt }) => ({
    before: nothingBefore,
    told: [
      [
        "lemonsqueezy",
        {
          meta: { event_name: "order_created", test_mode: false },
          data: {
            id: `o${run}`,
            attributes: {
              user_email: email,
              currency: "USD",
              status: "paid",
              total: 0,
              discount_total: 0,
              created_at: new Date(paidAt * 1000).toISOString(),
              first_order_item: { variant_id: "pro", product_id: 1, quantity: 1 },
            },
          },
        },
      ],
      [
        "lemonsqueezy",
        {
          meta: { event_name: "subscription_created", test_mode: false },
          data: {
            id: `s${run}`,
            attributes: {
              order_id: `o${run}`,
              status: "on_trial",
              user_email: email,
              variant_id: "pro",
              product_id: 1,
              created_at: new Date(paidAt * 1000).toISOString(),
              trial_ends_at: new Date((paidAt + 7 * DAY_S) * 1000).toISOString(),
            },
          },
        },
      ],
    ],
    refund: [
      [
        "lemonsqueezy",
        {
          meta: { event_name: "order_refunded", test_mode: false },
          data: {
            id: `o${run}`,
            attributes: { user_email: email, currency: "USD", total: 0, status: "refunded" },
          },
        },
      ],
    ],
  }),
  /** A trial: a payment of amount zero, and the membership with the end of the trial. */
  trialMembership: ({ run, email, paidAt }) => {
    const membership = { id: `mem_${run}`, status: "trialing" };
    const payment = {
      id: `pay_${run}`,
      status: "paid",
      paid_at: new Date(paidAt * 1000).toISOString(),
      billing_reason: "subscription_create",
      currency: "usd",
      total: 0,
      plan: { id: "pro" },
      user: { email, name: "Ada" },
      membership,
    };
    return {
      before: nothingBefore,
      told: [
        ["whop", { type: "payment.succeeded", data: payment }],
        [
          "whop",
          {
            type: "membership.activated",
            data: {
              ...membership,
              created_at: new Date(paidAt * 1000).toISOString(),
              renewal_period_start: new Date(paidAt * 1000).toISOString(),
              renewal_period_end: new Date((paidAt + 7 * DAY_S) * 1000).toISOString(),
              plan: { id: "pro" },
              user: { email, name: "Ada" },
            },
          },
        ],
      ],
      refund: [
        [
          "whop",
          { type: "refund.created", data: { id: `rf_${run}`, status: "succeeded", amount: 0, payment } },
        ],
      ],
    };
  },
  /** A sale in one event. */
  sale: ({ run, email, paidAt }) => {
    const sale = {
      resource_name: "sale",
      product_id: "pro",
      email,
      price: 900,
      currency: "usd",
      quantity: 1,
      sale_id: `sale_${run}`,
      sale_timestamp: new Date(paidAt * 1000).toISOString(),
      subscription_id: `gsub_${run}`,
    };
    return {
      before: nothingBefore,
      told: [["gumroad", sale]],
      refund: [["gumroad", { ...sale, resource_name: "refund", refunded: true }]],
    };
  },
} satisfies Record<string, (buying: Buying) => Purchase>;
