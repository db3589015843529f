import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { db } from "@/db/client";
import { reinstateKey, suspendKey } from "@/lib/access/keys/suspend-key";
import { uniformSource } from "@/lib/engine/random";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import type { DeliveryAnswer } from "@/lib/payments/outcome";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import type { PaymentAdapterName } from "@/lib/vocabulary";
import {
  applyPaymentStep,
  copyModel,
  type ExpectedAnswer,
  emptyModel,
  type PaymentModel,
  type PaymentStep,
} from "@/tests/support/payment-model";
import { permutations } from "@/tests/support/permutations";
import {
  FIXTURES,
  PLATFORMS,
  type Platform,
  platformBytes,
  type Sale,
} from "@/tests/support/platform-fixtures";
import { retryOnLockTimeout } from "@/tests/support/start-payment-process";

const PRODUCTS: PaymentStep["product"][] = [
  { id: "3031357", plan: "telegram", days: 31, graceDays: 3 },
  { id: "3031361", plan: "basic", days: 31, graceDays: 3 },
  { id: "3031365", plan: "basic", days: 365, graceDays: 0 },
  { id: "3031078", plan: "pro", days: 31, graceDays: 3 },
];
const EVENTS = {
  paid: "invoice_paid",
  canceled: "invoice_canceled",
  refunded: "invoice_refunded",
  chargeback: "invoice_chargeback",
  "refunded in part": "invoice_refunded",
  failed: "invoice_payment_failed",
  won: "chargeback_won",
};
const INVOICES = 6;
const BUYERS = 3;
/** End of keys that count as expired. */
const EXPIRED_MS = Date.UTC(2026, 0, 1);
/** Tolerance between the service's clock and this one on a busy machine. */
const CLOCK_TOLERANCE_MS = 60_000;
/** Long timeout, because only the answers matter here. */
const PATIENCE_MS = 60_000;
/** Default grace in days after a failed payment whose delivery names no mapped product. */
const USUAL_GRACE_DAYS = 3;
/** Platforms whose refunds and disputes name no buyer. */
const NAMELESS: ReadonlySet<PaymentAdapterName> = new Set(["stripe", "paddle"]);

/** Copies the mapped products of the generic platform to every other platform. */
export async function copyProductMappings(sql: postgres.Sql): Promise<void> {
  for (const adapter of PLATFORMS)
    await sql`
      insert into products (adapter, external_id, plan_tier, period_days, grace_days)
      select ${adapter}, external_id, plan_tier, period_days, grace_days from products where adapter = 'generic'
      on conflict do nothing`;
}

/** SQL: the run of a sequence, as invoice ids contain it, and the first part of a recipient's address: the run and a dash. */
const RUN_OF_INVOICE = "substring(invoice_id from '[0-9a-f]{8}-[0-9a-f]{4}')";
const RUN_OF_RECIPIENT = "left(recipient, 14)";

/** Indexes for the comparisons, which otherwise read the rows of all earlier sequences. */
async function indexRuns(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create index if not exists fuzz_invoices on invoices (${RUN_OF_INVOICE});
    create index if not exists fuzz_mails on mail_outbox (${RUN_OF_RECIPIENT})`);
}

export interface SequenceReport {
  sequences: number;
  deliveries: number;
  /** Number of batches of deliveries that were sent at the same time. */
  batches: number;
  /** Sequences per platform. */
  platforms: Partial<Record<PaymentAdapterName, number>>;
}

/**
 * Sends random sequences of payments, renewals, revivals, failures, full and partial refunds, cancellations, lost and
 * won chargebacks, replays and suspensions, some concurrent, each sequence in the format of one platform, and compares
 * every answer and the final tables with the model. Concurrent deliveries must match some order. Throws with the seed
 * and the whole sequence at the first difference.
 */
export async function runPaymentSequences(
  sql: postgres.Sql,
  options: { sequences: number; seed: number; lanes: number; mostMs?: number },
): Promise<SequenceReport> {
  await copyProductMappings(sql);
  await indexRuns(sql);
  const until = performance.now() + (options.mostMs ?? Number.POSITIVE_INFINITY);
  const report: SequenceReport = { sequences: 0, deliveries: 0, batches: 0, platforms: {} };
  let next = 0;
  const lane = async () => {
    while (next < options.sequences && performance.now() < until) {
      const seed = options.seed + next++;
      await new Sequence(sql, seed, report).run();
      report.sequences++;
    }
  };
  await Promise.all(Array.from({ length: options.lanes }, lane));
  return report;
}

class Sequence {
  readonly #random: () => number;
  readonly #run = randomUUID().slice(0, 13);
  /** Every model state consistent with the answers so far. */
  #models: PaymentModel[] = [emptyModel()];
  readonly #sent: PaymentStep[] = [];
  readonly #actions: string[] = [];
  readonly #keyIds: number[] = [];
  readonly #adapter: PaymentAdapterName;

  constructor(
    readonly sql: postgres.Sql,
    readonly seed: number,
    readonly report: SequenceReport,
  ) {
    this.#random = uniformSource(seed);
    this.#adapter = this.#random() < 0.4 ? "generic" : (PLATFORMS[this.#pick(PLATFORMS.length)] ?? "generic");
  }

  async run(): Promise<void> {
    const { platforms } = this.report;
    platforms[this.#adapter] = (platforms[this.#adapter] ?? 0) + 1;
    await this.#introduce();
    const length = 4 + this.#pick(8);
    for (let i = 0; i < length; i++) {
      const dice = this.#random();
      if (dice < 0.08) await this.#expireEverything();
      else if (dice < 0.14) await this.#holdBack();
      else if (dice < 0.28) await this.#failPayment();
      else if (dice < 0.45) await this.#send(Array.from({ length: 2 + this.#pick(2) }, () => this.#step()));
      else await this.#send([this.#step()]);
    }
    await this.#compareTables();
  }

  /** Sends the events that a platform separates from payments: its customers, and the links of invoices to payments. */
  async #introduce(): Promise<void> {
    const { actor } = Sequence;
    for (let invoice = 0; invoice < INVOICES; invoice++) {
      const told =
        this.#adapter === "stripe"
          ? FIXTURES.stripe.paid(this.#sale(invoice, PRODUCTS[0]!, 0))[1]
          : this.#adapter === "paddle" && invoice < BUYERS
            ? FIXTURES.paddle.paid(this.#sale(invoice, PRODUCTS[0]!, 0))[0]
            : undefined;
      if (this.#adapter === "generic" || !told) continue;
      await receiveDelivery(
        db(),
        adapterOf(this.#adapter),
        platformBytes(this.#adapter, told),
        actor,
        PATIENCE_MS,
      );
    }
  }

  static readonly actor = { kind: "webhook", requestId: "model" } as const;

  #pick(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #step(): PaymentStep {
    const former = this.#sent[this.#pick(this.#sent.length)];
    if (former && this.#random() < 0.2) return former;
    const paid = this.#random() < 0.6;
    const endings = [
      "canceled",
      "refunded",
      "refunded in part",
      "chargeback",
      "chargeback",
      "won",
      "won",
    ] as const;
    return this.#written(paid ? "paid" : (endings[this.#pick(endings.length)] ?? "refunded"));
  }

  #written(wish: PaymentStep["event"]): PaymentStep {
    const platform = this.#adapter === "generic" ? null : this.#adapter;
    const invoice = this.#pick(INVOICES);
    const product = PRODUCTS[this.#pick(PRODUCTS.length)] ?? PRODUCTS[0]!;
    const paidAtMs = Math.floor(Date.now() / 1000) * 1000 - this.#pick(45) * 86_400_000;
    if (platform === null) {
      const buyer = this.#random() < (wish === "paid" ? 0.02 : 0.15) ? null : this.#pick(BUYERS);
      const step = {
        event: wish,
        invoice,
        buyer,
        product,
        paidAtMs,
        bytes: "",
        byInvoice: false,
        namesSubscription: false,
        namesDispute: false,
      };
      return { ...step, bytes: this.#bytes(step, this.#random()) };
    }
    // Platforms do not cancel invoices, and some have no chargebacks.
    const sale = this.#sale(invoice, product, paidAtMs);
    const hasNoDisputes = FIXTURES[platform].chargeback(sale) === null;
    const event =
      wish === "canceled" || ((wish === "chargeback" || wish === "won") && hasNoDisputes) ? "refunded" : wish;
    const isNamed = event === "paid" || event === "failed" || !NAMELESS.has(platform);
    // Lemon Squeezy reports a failure for a subscription's invoice, without an order or product.
    const isApart = event === "failed" && platform === "lemonsqueezy";
    return {
      event,
      invoice: isApart ? invoice + 100 : invoice,
      buyer: isNamed ? invoice % BUYERS : null,
      product: isApart ? { ...product, graceDays: USUAL_GRACE_DAYS } : product,
      paidAtMs,
      bytes: this.#platformText(platform, event, sale),
      byInvoice: true,
      namesSubscription: this.#adapter === "whop" || this.#adapter === "gumroad",
      namesDispute: this.#adapter === "stripe" || this.#adapter === "whop",
    };
  }

  /** A payment on a platform: every invoice belongs to one buyer, and every buyer to one subscription. */
  #sale(invoice: number, product: PaymentStep["product"], paidAtMs: number): Sale {
    const buyer = invoice % BUYERS;
    return {
      payment: `${this.#run}/${invoice}`,
      subscription: `${this.#run}/s${buyer}`,
      first: true,
      product: product.id,
      email: this.#email(buyer),
      amount: 1,
      paidAt: new Date(paidAtMs),
    };
  }

  #platformText(platform: Platform, event: PaymentStep["event"], sale: Sale): string {
    const fixture = FIXTURES[platform];
    const bodies = {
      paid: () => fixture.paid(sale).at(platform === "paddle" ? 1 : 0),
      failed: () => fixture.failed(sale)?.[0],
      chargeback: () => fixture.chargeback(sale)?.[0],
      won: () => fixture.chargebackWon(sale)?.[0],
      "refunded in part": () => fixture.refunded(sale, 0.4)[0],
      refunded: () => fixture.refunded(sale, null)[0],
      canceled: () => undefined,
    };
    const body = bodies[event]();
    if (!body) throw new Error(`${platform} has no ${event}`);
    return platformBytes(platform, body, String(this.#random())).toString();
  }

  /** `nonce` changes the bytes but not the facts, like a platform that stamps each attempt. */
  #bytes(step: PaymentStep, nonce: number): string {
    return JSON.stringify({
      event: `payment.${EVENTS[step.event]}`,
      nonce,
      data: {
        id: `${this.#run}/${step.invoice}`,
        status: "paid",
        ...(step.event === "refunded in part" ? { amount_refunded: 0.4 } : {}),
        items: [{ productId: step.product.id, name: "x", quantity: 1, amount: 1 }],
        buyer: step.buyer === null ? null : { name: "Model Buyer", email: this.#email(step.buyer) },
        paid_at: new Date(step.paidAtMs).toISOString(),
      },
    });
  }

  #email(buyer: number): string {
    return `${this.#run}-${buyer}@Model.example`;
  }

  async #send(steps: PaymentStep[]): Promise<void> {
    this.#sent.push(...steps);
    this.#actions.push(
      steps.map((step) => `${step.event} i${step.invoice} b${step.buyer} ${step.product.id}`).join(" || "),
    );
    this.report.deliveries += steps.length;
    if (steps.length > 1) this.report.batches++;
    const { actor } = Sequence;
    const deliver = retryOnLockTimeout((step: PaymentStep) =>
      receiveDelivery(db(), adapterOf(this.#adapter), Buffer.from(step.bytes), actor, PATIENCE_MS),
    );
    const answers = await Promise.all(steps.map(deliver));
    const answeredOrders = permutations(steps.map((_, i) => i)).flatMap((order) =>
      this.#follow(order, steps, answers),
    );
    if (answeredOrders.length === 0) this.#fail(`no order explains ${JSON.stringify(answers)}`);
    this.#models = distinct(answeredOrders);
    for (const answer of answers) if (answer.action === "api_key_created") this.#keyIds.push(answer.key_id);
    this.#keyIds.sort((a, b) => a - b);
  }

  /** States after this order of steps from each possible state before, when the answers match. */
  #follow(order: number[], steps: PaymentStep[], answers: DeliveryAnswer[]): PaymentModel[] {
    return this.#models.flatMap((start) => {
      let model = start;
      const created: { key: number; id: number }[] = [];
      for (const i of order) {
        const result = applyPaymentStep(model, steps[i]!, Date.now());
        model = result.model;
        if (!this.#agrees(result.reaction, answers[i]!, created)) return [];
      }
      return [model];
    });
  }

  #agrees(reaction: ExpectedAnswer, answer: DeliveryAnswer, created: { key: number; id: number }[]): boolean {
    if (reaction.action !== answer.action) return false;
    switch (answer.action) {
      case "api_key_created": {
        if (reaction.action !== "api_key_created") return false;
        created.push({ key: reaction.key, id: answer.key_id });
        return answer.plan === reaction.plan && answer.expires.getTime() === reaction.expiresMs;
      }
      case "already_provisioned": {
        if (reaction.action !== "already_provisioned") return false;
        const fresh = created.find((key) => key.key === reaction.key)?.id;
        return answer.plan === reaction.plan && answer.key_id === (fresh ?? this.#keyIds[reaction.key]);
      }
      case "access_revoked":
        return reaction.action === "access_revoked" && answer.keys_revoked === reaction.revoked;
      default:
        return reaction.action === "ignored" && answer.reason === reaction.reason;
    }
  }

  /** Sends a failed payment. Each model takes over the keys' new ends from the table if they are close to its own. */
  async #failPayment(): Promise<void> {
    if (this.#adapter === "gumroad") return;
    await this.#send([this.#written("failed")]);
    const found = await this.#keys();
    this.#models = this.#models.map((model) => {
      const next = copyModel(model);
      next.keys.forEach((key, i) => {
        const isMs = found[i]?.expires_at.getTime();
        if (isMs === undefined || Math.abs(isMs - key.expiresMs) >= CLOCK_TOLERANCE_MS) return;
        for (const grace of key.graces) if (grace.untilMs === key.expiresMs) grace.untilMs = isMs;
        key.expiresMs = isMs;
      });
      return next;
    });
  }

  /** The operator suspends or reinstates a key. */
  async #holdBack(): Promise<void> {
    const place = this.#pick(this.#keyIds.length);
    const keyId = this.#keyIds[place];
    if (keyId === undefined || this.#models.some((model) => model.keys[place]?.revoked !== false)) return;
    const isHeld = this.#models[0]?.keys[place]?.suspended === true;
    this.#actions.push(`${isHeld ? "reinstate" : "suspend"} key ${place}`);
    const actor = { kind: "command" } as const;
    await (isHeld ? reinstateKey(db(), keyId, actor) : suspendKey(db(), keyId, actor));
    this.#models = this.#models.map((model) => {
      const next = copyModel(model);
      next.keys[place]!.suspended = !isHeld;
      // Reinstating an expired key sends no mail.
      if (!isHeld) next.mails["access-suspended"]++;
      else if (next.keys[place]!.expiresMs > Date.now()) next.mails["access-reinstated"]++;
      return next;
    });
  }

  /** Time passes until all access has ended. */
  async #expireEverything(): Promise<void> {
    this.#actions.push("everything expires");
    await this.sql`
      update api_keys set expires_at = ${new Date(EXPIRED_MS)}
       where subscription_id in (select id from subscriptions where email_normalized like ${`${this.#run}-%`})
         and revoked_at is null`;
    this.#models = this.#models.map((model) => ({
      ...model,
      keys: model.keys.map((key) =>
        key.revoked ? key : { ...key, expiresMs: EXPIRED_MS, times: [], graces: [], isSetByHand: true },
      ),
    }));
  }

  #keys() {
    return this.sql`
      select coalesce((select ahead -> 'plans' ->> 0 from jsonb_array_elements(k.stretches) with ordinality s(ahead, place)
                        where (ahead ->> 'until')::timestamptz > now() order by place limit 1), k.plan_tier) as plan_tier, k.expires_at, k.revoked_at, k.suspended_at, s.email_normalized, k.subscription_id
        from api_keys k join subscriptions s on s.id = k.subscription_id
       where s.email_normalized like ${`${this.#run}-%`} order by k.id`;
  }

  async #compareTables(): Promise<void> {
    const keys = await this.#keys();
    const invoices = await this.sql`
      select invoice_id, state from invoices where ${this.sql.unsafe(RUN_OF_INVOICE)} = ${this.#run} order by invoice_id`;
    const mails = await this.sql`
      select kind, count(*)::int as n from mail_outbox
       where ${this.sql.unsafe(RUN_OF_RECIPIENT)} = ${`${this.#run}-`} group by kind`;
    const found = JSON.stringify([
      keys.map((key) => [
        Number(key.email_normalized.split("-").at(-1).split("@")[0]),
        key.plan_tier,
        key.expires_at.getTime(),
        key.revoked_at !== null,
        key.suspended_at !== null,
      ]),
      invoices.map((invoice) => [Number(invoice.invoice_id.split("/").at(-1)), invoice.state]),
      Object.fromEntries(mails.map((mail) => [mail.kind, mail.n])),
    ]);
    const expected = this.#models.map((model) =>
      JSON.stringify([
        model.keys.map((key) => [key.buyer, key.plan, key.expiresMs, key.revoked, key.suspended]),
        [...model.invoices].map(([id, invoice]) => [id, invoice.state]).sort(),
        Object.fromEntries(
          Object.entries(model.mails)
            .filter(([, n]) => n > 0)
            .sort(),
        ),
      ]),
    );
    if (!expected.map(sortMails).includes(sortMails(found)))
      this.#fail(`tables ${found}\nmodel  ${expected.join("\n   or  ")}`);
    // Every row of paid time except graces has the plan and the days of a payment's product.
    const [unpaid] = await this.sql`
      select p.kind, p.plan_tier, p.duration_ms from paid_time p join subscriptions s on s.id = p.subscription_id
        left join invoices i on i.invoice_id = p.invoice_id
        left join products o on o.adapter = i.adapter and o.external_id = i.product_id
       where s.email_normalized like ${`${this.#run}-%`} and p.kind <> 'grace'
         and (p.kind <> 'payment' or p.plan_tier <> o.plan_tier
              or p.duration_ms is distinct from o.period_days * ${86_400_000}::bigint)`;
    if (unpaid) this.#fail(`unpaid days were granted: ${JSON.stringify(unpaid)}`);
    // One subscription per buyer, regardless of the keys' history.
    const subscriptions = new Set(keys.map((key) => key.subscription_id));
    const buyers = new Set(keys.map((key) => key.email_normalized));
    if (subscriptions.size !== buyers.size) this.#fail("a buyer has more than one subscription");
  }

  #fail(problem: string): never {
    throw new Error(
      `seed ${this.seed} (${this.#adapter}): ${problem}\n${this.#actions.map((line, i) => `${i + 1}. ${line}`).join("\n")}`,
    );
  }
}

function sortMails(state: string): string {
  const [keys, invoices, mails] = JSON.parse(state);
  return JSON.stringify([keys, invoices, Object.entries(mails).sort()]);
}

function distinct(models: PaymentModel[]): PaymentModel[] {
  const byText = new Map<string, PaymentModel>();
  for (const model of models) {
    byText.set(
      JSON.stringify([
        model.keys,
        [...model.invoices].sort(),
        model.graces,
        model.mails,
        [...model.wonAhead].sort(),
      ]),
      model,
    );
  }
  return [...byText.values()];
}
