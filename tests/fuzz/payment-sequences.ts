import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { preparedDb } from "@/db/client";
import { uniformSource } from "@/lib/engine/random";
import type { Answer } from "@/lib/payments/outcome";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { emptyModel, type Model, type Reaction, react, type Step } from "@/tests/support/payment-model";

const PRODUCTS: Step["product"][] = [
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
};
const INVOICES = 5;
const BUYERS = 3;
/** Where keys are put that are to have expired. */
const EXPIRED_MS = Date.UTC(2026, 0, 1);

export interface SequenceReport {
  sequences: number;
  deliveries: number;
  /** Batches that were sent at once. */
  batches: number;
}

/**
 * Sends random sequences of payments, refunds, cancellations, chargebacks, replays and renewals, some at once, to the
 * service and holds every answer and the final tables against the model. What was sent at once must look like some
 * order of it. Throws with the seed and the whole sequence at the first difference.
 */
export async function runPaymentSequences(
  sql: postgres.Sql,
  options: { sequences: number; seed: number; lanes: number; mostMs?: number },
): Promise<SequenceReport> {
  const until = performance.now() + (options.mostMs ?? Number.POSITIVE_INFINITY);
  const report: SequenceReport = { sequences: 0, deliveries: 0, batches: 0 };
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
  /** Every state that the answers so far allow. */
  #models: Model[] = [emptyModel()];
  readonly #sent: Step[] = [];
  readonly #story: string[] = [];
  readonly #keyIds: number[] = [];

  constructor(
    readonly sql: postgres.Sql,
    readonly seed: number,
    readonly report: SequenceReport,
  ) {
    this.#random = uniformSource(seed);
  }

  async run(): Promise<void> {
    const length = 4 + this.#pick(8);
    for (let i = 0; i < length; i++) {
      const dice = this.#random();
      if (dice < 0.08) await this.#expireEverything();
      else if (dice < 0.3) await this.#send(Array.from({ length: 2 + this.#pick(2) }, () => this.#step()));
      else await this.#send([this.#step()]);
    }
    await this.#compareTables();
  }

  #pick(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #step(): Step {
    const former = this.#sent[this.#pick(this.#sent.length)];
    if (former && this.#random() < 0.2) return former;
    const paid = this.#random() < 0.6;
    const endings = ["canceled", "refunded", "chargeback"] as const;
    const step = {
      event: paid ? ("paid" as const) : (endings[this.#pick(3)] ?? "refunded"),
      invoice: this.#pick(INVOICES),
      buyer: this.#random() < (paid ? 0.02 : 0.15) ? null : this.#pick(BUYERS),
      product: PRODUCTS[this.#pick(PRODUCTS.length)] ?? PRODUCTS[0]!,
      paidAtMs: Math.floor(Date.now() / 1000) * 1000 - this.#pick(45) * 86_400_000,
      bytes: "",
    };
    step.bytes = this.#bytes(step, this.#random());
    return step;
  }

  /** `nonce` makes other bytes of the same facts, as a platform does that stamps each attempt. */
  #bytes(step: Step, nonce: number): string {
    return JSON.stringify({
      event: `payment.${EVENTS[step.event]}`,
      nonce,
      data: {
        id: `${this.#run}/${step.invoice}`,
        status: "paid",
        items: [{ productId: step.product.id, name: "x", quantity: 1, amount: 1 }],
        buyer: step.buyer === null ? null : { name: "Model Buyer", email: this.#email(step.buyer) },
        paid_at: new Date(step.paidAtMs).toISOString(),
      },
    });
  }

  #email(buyer: number): string {
    return `${this.#run}-${buyer}@Model.example`;
  }

  async #send(steps: Step[]): Promise<void> {
    this.#sent.push(...steps);
    this.#story.push(
      steps.map((step) => `${step.event} i${step.invoice} b${step.buyer} ${step.product.id}`).join(" || "),
    );
    this.report.deliveries += steps.length;
    if (steps.length > 1) this.report.batches++;
    const actor = { kind: "webhook", requestId: "model" } as const;
    const answers = await Promise.all(
      steps.map((step) => receiveDelivery(preparedDb(), Buffer.from(step.bytes), actor)),
    );
    const answeredOrders = orders(steps.map((_, i) => i)).flatMap((order) =>
      this.#follow(order, steps, answers),
    );
    if (answeredOrders.length === 0) this.#fail(`no order explains ${JSON.stringify(answers)}`);
    this.#models = distinct(answeredOrders);
    for (const answer of answers) if (answer.action === "api_key_created") this.#keyIds.push(answer.key_id);
    this.#keyIds.sort((a, b) => a - b);
  }

  /** The states after this order of the steps, from each possible state before, where it gives these answers. */
  #follow(order: number[], steps: Step[], answers: Answer[]): Model[] {
    return this.#models.flatMap((start) => {
      let model = start;
      const created: { key: number; id: number }[] = [];
      for (const i of order) {
        const result = react(model, steps[i]!, Date.now());
        model = result.model;
        if (!this.#agrees(result.reaction, answers[i]!, created)) return [];
      }
      return [model];
    });
  }

  #agrees(reaction: Reaction, answer: Answer, created: { key: number; id: number }[]): boolean {
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

  /** Time passes: whatever is in force has ended. */
  async #expireEverything(): Promise<void> {
    this.#story.push("everything expires");
    await this.sql`
      update api_keys set expires_at = ${new Date(EXPIRED_MS)}
       where subscription_id in (select id from subscriptions where email_normalized like ${`${this.#run}-%`})
         and revoked_at is null`;
    this.#models = this.#models.map((model) => ({
      ...model,
      keys: model.keys.map((key) => (key.revoked ? key : { ...key, expiresMs: EXPIRED_MS })),
    }));
  }

  async #compareTables(): Promise<void> {
    const keys = await this.sql`
      select k.plan_tier, k.expires_at, k.revoked_at, s.email_normalized, k.subscription_id
        from api_keys k join subscriptions s on s.id = k.subscription_id
       where s.email_normalized like ${`${this.#run}-%`} order by k.id`;
    const invoices = await this.sql`
      select invoice_id, state from invoices where invoice_id like ${`${this.#run}/%`} order by invoice_id`;
    const mails = await this.sql`
      select kind, count(*)::int as n from mail_outbox where recipient like ${`${this.#run}-%`} group by kind`;
    const found = JSON.stringify([
      keys.map((key) => [
        Number(key.email_normalized.split("-").at(-1).split("@")[0]),
        key.plan_tier,
        key.expires_at.getTime(),
        key.revoked_at !== null,
      ]),
      invoices.map((invoice) => [Number(invoice.invoice_id.split("/")[1]), invoice.state]),
      Object.fromEntries(mails.map((mail) => [mail.kind, mail.n])),
    ]);
    const expected = this.#models.map((model) =>
      JSON.stringify([
        model.keys.map((key) => [key.buyer, key.plan, key.expiresMs, key.revoked]),
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
    // One subscription a buyer, whatever became of his keys.
    const subscriptions = new Set(keys.map((key) => key.subscription_id));
    const buyers = new Set(keys.map((key) => key.email_normalized));
    if (subscriptions.size !== buyers.size) this.#fail("a buyer has more than one subscription");
  }

  #fail(problem: string): never {
    throw new Error(
      `seed ${this.seed}: ${problem}\n${this.#story.map((line, i) => `${i + 1}. ${line}`).join("\n")}`,
    );
  }
}

function sortMails(state: string): string {
  const [keys, invoices, mails] = JSON.parse(state);
  return JSON.stringify([keys, invoices, Object.entries(mails).sort()]);
}

function distinct(models: Model[]): Model[] {
  const byText = new Map<string, Model>();
  for (const model of models) {
    byText.set(JSON.stringify([model.keys, [...model.invoices].sort(), model.mails]), model);
  }
  return [...byText.values()];
}

function orders(items: number[]): number[][] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, i) => orders(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}
