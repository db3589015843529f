import { randomUUID } from "node:crypto";
import { signBody } from "@/lib/payments/signature";
import { WEBHOOK_SECRET } from "@/tests/support/payments";
import { startBenchService } from "./service";

const PER_SECOND = 50;
const SECONDS = 20;
const WARM_UP = 100;

interface Sample {
  ms: number;
  action: string;
}

/**
 * Measures `POST /webhooks/payment` at 50 a second on schedule, each the first purchase of a new buyer, the most expensive
 * kind, while mails are sent. Compares it with deliveries with a wrong signature, which need no database, and with
 * repeated deliveries.
 */
export async function benchWebhook(): Promise<string[]> {
  const service = await startBenchService({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });
  const url = `${service.server.url}/webhooks/payment`;
  try {
    const bodies = Array.from({ length: PER_SECOND * SECONDS }, newPurchase);
    await Promise.all(Array.from({ length: WARM_UP }, () => post(url, newPurchase(), WEBHOOK_SECRET)));
    const refused = await openLoop(bodies, (body) => post(url, body, "not-the-secret"));
    const created = await openLoop(bodies, (body) => post(url, body, WEBHOOK_SECRET));
    const replayed = await openLoop(bodies, (body) => post(url, body, WEBHOOK_SECRET));
    const [mail] = await service.sql`
      select count(*)::int as sent,
             percentile_cont(0.99) within group (order by extract(epoch from sent_at - created_at)) as p99
        from mail_outbox where status = 'sent'`;
    return [
      `${PER_SECOND} deliveries a second for ${SECONDS} s, sent by the clock`,
      line("wrong signature (no database)", refused, "signature_invalid"),
      line("first purchase", created, "api_key_created"),
      line("the same again", replayed, "already_provisioned"),
      `${mail?.sent} mails out meanwhile, from queue to file p99 ${(Number(mail?.p99) * 1000).toFixed(0)} ms`,
    ];
  } finally {
    await service.stop();
  }
}

function newPurchase(): Buffer<ArrayBuffer> {
  const id = randomUUID();
  return Buffer.from(
    JSON.stringify({
      event: "payment.invoice_paid",
      data: {
        id,
        status: "paid",
        items: [{ productId: "3031367", name: "Pro", quantity: 1, amount: 49.9 }],
        buyer: { name: "Bench Buyer", email: `${id}@example.com` },
        paid_at: new Date().toISOString(),
      },
    }),
  );
}

async function post(url: string, body: Buffer<ArrayBuffer>, secret: string): Promise<string> {
  const answer = await fetch(url, {
    method: "POST",
    body,
    headers: { "x-signature": signBody(body, secret) },
  });
  // Every webhook answer has one of the two.
  const told = (await answer.json()) as { action?: string; code?: string };
  return told.action ?? told.code ?? String(answer.status);
}

/** Sends the items on schedule, PER_SECOND a second. Each time counts from the scheduled moment. */
async function openLoop<T>(items: T[], send: (item: T) => Promise<string>): Promise<Sample[]> {
  const startedAt = performance.now();
  return Promise.all(
    items.map(async (item, i) => {
      const dueAt = startedAt + (i * 1000) / PER_SECOND;
      await new Promise((done) => setTimeout(done, dueAt - performance.now()));
      const action = await send(item).catch(() => "connection_failed");
      return { ms: performance.now() - dueAt, action };
    }),
  );
}

function line(label: string, samples: Sample[], expected: string): string {
  const sorted = samples.map((sample) => sample.ms).sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  const other = samples.filter((sample) => sample.action !== expected).length;
  return `${label.padEnd(30)} p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   max ${at(1)} ms   other than ${expected}: ${other}`;
}
