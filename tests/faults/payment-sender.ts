import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";
import { signBody } from "@/lib/payments/signature";
import { waitUntil } from "@/tests/support/server";
import { type ResponseTimes, RetryingClient } from "./journal";

export const PAYMENT_SECRET = "fault-webhook-secret-0123456789";
/** Pause in milliseconds after each invoice. */
const EVERY_MS = 200;
/** The mail lease of a killed worker ends after a minute; another worker leads within half a minute. */
const SENT_WITHIN_MS = 120_000;

/** Acts as a payment platform: delivers each invoice until it is acknowledged, and every fifth once more. */
export class PaymentSender {
  readonly #client: RetryingClient;
  /** For each acknowledged invoice, the number of answers that announced a new key. */
  readonly #keysOf = new Map<number, number>();
  #done: Promise<void> = Promise.resolve();

  constructor(address: (turn: number) => string, heedsRetryAfter = false) {
    this.#client = new RetryingClient(address, heedsRetryAfter);
  }

  get waits(): ResponseTimes {
    return this.#client.waits;
  }

  get acknowledged(): number {
    return this.#keysOf.size;
  }

  start(): void {
    this.#done = this.#deliverOn();
  }

  async stop(): Promise<void> {
    this.#client.running = false;
    await this.#done;
  }

  async #deliverOn(): Promise<void> {
    for (let invoice = 1; this.#client.running; invoice++) {
      await this.#deliver(invoice);
      if (invoice % 5 === 0) await this.#deliver(invoice);
      await pause(EVERY_MS);
    }
  }

  async #deliver(invoice: number): Promise<void> {
    const body = JSON.stringify({
      event: "payment.invoice_paid",
      data: {
        id: `fault-${invoice}`,
        status: "paid",
        items: [{ productId: "3031367", name: "Signals", quantity: 1, amount: 49.9 }],
        buyer: { name: "Ada Lovelace", email: addressOf(invoice) },
        paid_at: "2026-11-20T10:00:00Z",
      },
    });
    const headers = { "x-signature": signBody(Buffer.from(body), PAYMENT_SECRET) };
    const answer = await this.#client.send("/webhooks/payment", { method: "POST", headers, body }, invoice);
    if (answer === null) return;
    const made = answer.action === "api_key_created" ? 1 : 0;
    this.#keysOf.set(invoice, (this.#keysOf.get(invoice) ?? 0) + made);
  }

  /**
   * Throws unless each acknowledged invoice has one key and one mail. Then waits until no mail is pending, for two
   * minutes at most.
   */
  async judge(sql: postgres.Sql): Promise<void> {
    const rows = await sql<{ email: string; keys: number; mails: number }[]>`
      select s.email_normalized as email, count(*)::int as keys,
             (select count(*)::int from mail_outbox m where m.recipient = s.email_normalized) as mails
        from subscriptions s join api_keys k on k.subscription_id = s.id
       where s.email_normalized like 'fault-%' group by s.email_normalized`;
    const stored = new Map(rows.map((row) => [row.email, row]));
    for (const [invoice, made] of this.#keysOf) {
      const row = stored.get(addressOf(invoice));
      if (row?.keys !== 1 || row.mails !== 1)
        throw new Error(`invoice ${invoice} has ${row?.keys ?? 0} keys and ${row?.mails ?? 0} mails`);
      if (made > 1) throw new Error(`invoice ${invoice} was answered twice with a new key`);
    }
    let stuck = "";
    const isDone = async () => {
      const [mail] = await sql`
        select kind, attempts, last_error_code, leased_until - now() as lease, next_attempt_at - now() as next
          from mail_outbox where status = 'pending' order by id limit 1`;
      stuck = JSON.stringify(mail);
      return mail === undefined;
    };
    await waitUntil(isDone, SENT_WITHIN_MS, () => `a mail is stuck in the queue: ${stuck}`);
  }
}

const addressOf = (invoice: number) => `fault-${invoice}@example.com`;
