/**
 * `npm run webhook -- paid --email ADDRESS [...]`: sends a sample delivery of the payment platform to a running server,
 * so that an operator can test a purchase. It is signed with PAYMENT_WEBHOOK_SECRET, else with the secret that was
 * entered on the page Payment platforms.
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
import { secretsOf } from "@/lib/payments/adapters/find-adapter";
import { SIGNATURE_HEADER, signBody } from "@/lib/payments/signature";
import type { Env } from "@/lib/runtime/env";
import { serviceSecret } from "@/lib/runtime/service-secrets";
import { readConfigurationOrExit } from "@/lib/server/configuration";
import { exitWithUsage, loadEnvFile, readCommandLine } from "./command-line";
import { runOperatorCommand } from "./operator-command";

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
loadEnvFile();
const config = readConfigurationOrExit();
const [set] = config.serviceSecrets.PAYMENT_WEBHOOK_SECRET;
// If the variable is set, the secret need not be read from the database, for example for a server on another machine.
if (set === undefined)
  await runOperatorCommand(async () => {
    const [stored] = await secretsOf("generic");
    if (stored === undefined)
      throw new Error(
        "There is no secret to sign with. Enter one on the page Payment platforms, or set PAYMENT_WEBHOOK_SECRET.",
      );
    await send(stored, config);
  });
else await send(set, config);

async function send(secret: string, { port, dataDir }: Env): Promise<void> {
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
  const base = (values.url ?? `http://127.0.0.1:${port}`).replace(/\/+$/, "");
  const answer = await fetch(`${base}/webhooks/payment`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      [SIGNATURE_HEADER]: signBody(body, secret),
    },
    body,
  }).catch(() => null);
  process.exitCode = answer?.ok ? 0 : 1;
  if (!answer) {
    process.stderr.write(`no server answers at ${base}\n`);
    return;
  }
  process.stdout.write(`${event} for invoice ${values.invoice}\n${answer.status} ${await answer.text()}\n`);
  const hasTransport = serviceSecret("RESEND_API_KEY") !== null || serviceSecret("SMTP_URL") !== null;
  if (answer.ok && !hasTransport) {
    process.stdout.write(`A server without a mail transport writes mails to ${join(dataDir, "outbox")}\n`);
  }
}
