import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import type postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { db } from "@/db/client";
import { deliverDueMail } from "@/lib/outbound/mail/deliver-mail";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import { resendTransport } from "@/lib/outbound/mail/transports/resend";
import { smtpTransport } from "@/lib/outbound/mail/transports/smtp";
import { signBody } from "@/lib/payments/signature";
import { flushLog, shortEmailHash } from "@/lib/runtime/log";
import { decrypt } from "@/lib/runtime/secrets";
import { apiApp } from "@/lib/server/api-app";
import { MOUNTS } from "@/lib/server/mounts";
import { call } from "@/tests/support/api";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { NEVER_ABORTED } from "@/tests/support/mail";
import { startMailCatcher } from "@/tests/support/mail-catcher";
import { deliver, freshEmail, paymentEvent, WEBHOOK_SECRET } from "@/tests/support/payments";
import { startResendDouble } from "@/tests/support/resend-double";

useDatabase({ PAYMENT_WEBHOOK_SECRET: WEBHOOK_SECRET });

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
afterAll(() => sql.end());

/** Posts a delivery and returns the status, without the check of `deliver` that refuses a 500. */
async function deliverIntoDefect(event: unknown): Promise<number> {
  const body = Buffer.from(JSON.stringify(event));
  const headers = { "x-signature": signBody(body, WEBHOOK_SECRET) };
  const request = new Request("http://localhost/webhooks/payment", { method: "POST", headers, body });
  return (await apiApp(MOUNTS).fetch(request)).status;
}

it("a purchase logs no address, name, key, token or secret, errors included", async () => {
  const secrets: string[] = [
    WEBHOOK_SECRET,
    process.env.ENCRYPTION_KEY ?? "",
    process.env.ADMIN_SECRET ?? "",
  ];
  const email = freshEmail();
  const name = `Name ${randomUUID()}`;
  secrets.push(email, name);

  // A normal request, with an address instead of an id.
  await deliver(paymentEvent({ email, name, id: email }));
  const [mail] = await sql`select secret_encrypted from mail_outbox where recipient = ${email}`;
  const key = decrypt(mail!.secret_encrypted);
  secrets.push(key, mail!.secret_encrypted);
  await call("GET", "/api/account/me", { key });
  await deliver(paymentEvent({ email, name }));
  await deliver(paymentEvent({ email: `${email} and more`, name }));
  await deliver(paymentEvent({ event: email }));
  await deliver(`{"data":{"buyer":{"email":"${email}"`);
  await deliver(paymentEvent({ email }), { signature: email });

  // Mails that fail at Resend and at an SMTP server, with the address in Resend's error.
  const token = `token-${randomUUID()}`;
  secrets.push(token);
  const link = {
    kind: "sign-in",
    subscriptionId: null,
    recipient: email,
    props: { expiresMinutes: 10 },
    secret: token,
  } as const;
  await queueMail(db(), { ...link, dedupeKey: `sign-in/${randomUUID()}` });
  const [resend, smtp] = await Promise.all([startResendDouble(), startMailCatcher()]);
  const quoting = { message: `${email} does not exist`, name: "validation_error" };
  resend.replies.push(
    { status: 500, body: { ...quoting, statusCode: 500 } },
    { status: 422, body: { ...quoting, statusCode: 422 } },
  );
  await deliverDueMail(db(), NEVER_ABORTED, resendTransport("re_secret_0123456789", resend.url));
  secrets.push("re_secret_0123456789");
  await queueMail(db(), { ...link, dedupeKey: `sign-in/${randomUUID()}` });
  smtp.refuse({ stage: "recipient", code: 550 });
  await deliverDueMail(db(), NEVER_ABORTED, smtpTransport(smtp.url.replace("://", "://user:smtp-password@")));
  secrets.push("smtp-password");
  await deliverDueMail(db(), NEVER_ABORTED, smtpTransport(smtp.url));
  await Promise.all([resend.close(), smtp.close()]);

  // A database error whose message contains the statement's parameters.
  await sql`alter table mail_outbox rename to mail_outbox_away`;
  expect(await deliverIntoDefect(paymentEvent({ email: freshEmail(), name }))).toBeGreaterThanOrEqual(500);
  await sql`alter table mail_outbox_away rename to mail_outbox`;
  await sql`alter table subscriptions add constraint no_more check (email is null) not valid`;
  const refused = freshEmail();
  secrets.push(refused);
  expect(await deliverIntoDefect(paymentEvent({ email: refused, name }))).toBe(500);
  await sql`alter table subscriptions drop constraint no_more`;

  await deliver(paymentEvent({ event: "payment.invoice_refunded", email, name }));
  await flushLog();
  const written = readFileSync(process.env.LOG_FILE ?? "", "utf8");
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(5);
    expect(written).not.toContain(secret);
    expect(written.toLowerCase()).not.toContain(encodeURIComponent(secret).toLowerCase());
  }
  expect(written).not.toMatch(/[a-z0-9]@[a-z0-9-]+\.[a-z]/i);

  const lines = written
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const tagged = lines.filter((line) => line.email !== undefined);
  expect(tagged.length).toBeGreaterThan(3);
  for (const line of tagged) expect(line.email).toMatch(/^email#[0-9a-f]{4}$/);
  expect(tagged.some((line) => line.email === `email#${shortEmailHash(email)}`)).toBe(true);
  expect(lines.some((line) => line.msg === "a handler failed")).toBe(true);

  // Tables that administrators see: addresses occur only in the columns for addresses.
  for (const table of ["payment_deliveries", "invoices", "admin_audit", "job_runs", "health_probes"]) {
    const rows = JSON.stringify(await sql`select * from ${sql(table)}`).replaceAll(
      `"invoice_id":"${email}"`,
      "",
    );
    const quoted = rows.replaceAll(`"invoiceId":"${email}"`, "").replaceAll(`"event":"${email}"`, "");
    expect(quoted, table).not.toContain(key);
    expect(quoted, table).not.toContain(name);
    expect(quoted, table).not.toContain(refused);
  }
}, 60_000);
