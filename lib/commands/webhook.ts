/**
 * `npm run webhook -- paid --email ADDRESS [...]`: sends a sample delivery of the payment platform, signed with
 * PAYMENT_WEBHOOK_SECRET, to a running server, so that an operator can test a purchase.
 *
 * paid | canceled | refunded | chargeback
 * --email ADDRESS   the buyer (required)
 * --name TEXT       the buyer's name (default: Sample Buyer)
 * --product ID      the product (default: 3031367, pro by the month)
 * --invoice ID      invoice id (default: a new one)
 * --url URL         the server (default: the configured port on this machine)
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { SIGNATURE_HEADER, signBody } from "@/lib/payments/signature";
import { readConfiguration } from "@/lib/server/configuration";
import { exitWithUsage, readCommandLine, readEnvFile } from "./command-line";

const EVENTS: Record<string, string> = {
  paid: "payment.invoice_paid",
  canceled: "payment.invoice_canceled",
  refunded: "payment.invoice_refunded",
  chargeback: "payment.invoice_chargeback",
};

const USAGE =
  "npm run webhook -- paid|canceled|refunded|chargeback --email ADDRESS [--name TEXT] [--product ID] [--invoice ID] [--url URL]";

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: {
    email: { type: "string" },
    name: { type: "string", default: "Sample Buyer" },
    product: { type: "string", default: "3031367" },
    invoice: { type: "string", default: `sample-${randomUUID().slice(0, 8)}` },
    url: { type: "string" },
  },
});
const event = EVENTS[positionals[0] ?? ""];
if (!event || !values.email) exitWithUsage(USAGE);
readEnvFile();
const config = readConfiguration();
const [secret] = config.serviceSecrets.PAYMENT_WEBHOOK_SECRET;
if (secret === undefined) {
  process.stderr.write(
    "PAYMENT_WEBHOOK_SECRET is not set. If the secret was entered on the page Payment platforms, test it there.\n",
  );
  process.exit(2);
}

const body = Buffer.from(
  JSON.stringify({
    event,
    data: {
      id: values.invoice,
      status: event === EVENTS.paid ? "paid" : positionals[0],
      items: [{ productId: values.product, name: "Sample purchase", quantity: 1, amount: 1 }],
      buyer: { name: values.name, email: values.email },
      paid_at: new Date().toISOString(),
    },
  }),
);
const base = (values.url ?? `http://127.0.0.1:${config.port}`).replace(/\/+$/, "");
const answer = await fetch(`${base}/webhooks/payment`, {
  method: "POST",
  headers: {
    "Content-Type": "application/json",
    [SIGNATURE_HEADER]: signBody(body, secret),
  },
  body,
}).catch(() => null);
if (!answer) {
  process.stderr.write(`no server answers at ${base}\n`);
  process.exit(1);
}
process.stdout.write(`${event} for invoice ${values.invoice}\n${answer.status} ${await answer.text()}\n`);
const hasTransport = [config.serviceSecrets.RESEND_API_KEY, config.serviceSecrets.SMTP_URL].some(
  (secrets) => secrets.length > 0,
);
if (answer.ok && !hasTransport) {
  process.stdout.write(
    `A server without a mail transport writes mails to ${join(config.dataDir, "outbox")}\n`,
  );
}
process.exitCode = answer.ok ? 0 : 1;
