import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { db } from "@/db/client";
import { deliverDueMail } from "@/lib/outbound/mail/deliver-mail";
import type { MailTransport } from "@/lib/outbound/mail/transport";
import { resendTransport } from "@/lib/outbound/mail/transports/resend";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { NEVER_ABORTED, queueKeyMail } from "@/tests/support/mail";
import { type ResendDouble, startResendDouble } from "@/tests/support/resend-double";

useDatabase({ MAIL_FROM: "Signals <signals@example.test>" });

let sql: postgres.Sql;
let resend: ResendDouble;
let transport: MailTransport;
/** Like `transport`, without the provider's rate limit. */
let hasty: MailTransport;
beforeAll(async () => {
  sql = connectDirectly();
  resend = await startResendDouble();
  transport = resendTransport("re_test_0123456789", resend.url, 300);
  hasty = { ...transport, maxPerSecond: 1_000 };
});
afterEach(async () => {
  resend.received.length = 0;
  resend.replies.length = 0;
  await sql`delete from mail_outbox`;
});
afterAll(async () => {
  await resend.close();
  await sql.end();
});

const rowOf = async (mailId: number) => {
  const [row] = await sql`select * from mail_outbox where id = ${mailId}`;
  return row!;
};
const makeDue = (mailId: number) => sql`update mail_outbox set next_attempt_at = now() where id = ${mailId}`;
const deliver = (by = hasty) => deliverDueMail(db(), NEVER_ABORTED, by);

it("a mail is sent once with its row's idempotency key, and its secret is wiped", async () => {
  const { mailId, secret, recipient } = await queueKeyMail();
  expect(await deliver()).toBe(1);
  expect(resend.received).toHaveLength(1);
  expect(resend.received[0]).toMatchObject({
    authorization: "Bearer re_test_0123456789",
    idempotencyKey: `key-created/${mailId}`,
    body: { from: "Signals <signals@example.test>", to: [recipient], subject: "Your API key is ready" },
  });
  expect(resend.received[0]!.body.html).toContain(secret);
  expect(resend.received[0]!.body.text).toContain(secret);
  expect(await rowOf(mailId)).toMatchObject({
    status: "sent",
    transport: "resend",
    attempts: 1,
    secret_encrypted: null,
    last_error_code: null,
  });
  expect(await deliver()).toBe(0);
});

it("a mail answered with 429 is sent again after Retry-After, with the same idempotency key and bytes", async () => {
  const { mailId } = await queueKeyMail();
  resend.replies.push({ status: 429, headers: { "Retry-After": "2" } });
  await deliver();
  const waiting = await rowOf(mailId);
  expect(waiting).toMatchObject({ status: "pending", last_error_code: "resend_429_rate_limit_exceeded" });
  expect(waiting.next_attempt_at - waiting.created_at).toBeGreaterThan(2_000);
  expect(waiting.secret_encrypted).not.toBeNull();
  await makeDue(mailId);
  await deliver();
  // The limit covers every mail, so no call is made before it ends.
  expect(resend.received[1]!.atMs - resend.received[0]!.atMs).toBeGreaterThan(1_950);
  expect(resend.received.map((sent) => sent.idempotencyKey)).toEqual([
    `key-created/${mailId}`,
    `key-created/${mailId}`,
  ]);
  expect(resend.received[0]!.body).toEqual(resend.received[1]!.body);
  expect((await rowOf(mailId)).status).toBe("sent");
});

it.each([
  ["500", { status: 500 } as const, "resend_500_internal_server_error"],
  ["503 that is not JSON", { status: 503, body: "<html>" } as const, "resend_503_application_error"],
  ["a wrong key", { status: 401 } as const, "resend_401_restricted_api_key"],
  ["an unverified domain", { status: 403 } as const, "resend_403_validation_error"],
  ["no answer in time", "hang" as const, "resend_unreachable"],
  ["a closed connection", "drop" as const, "resend_unreachable"],
])("a mail whose request to Resend meets %s is retried later", async (_name, reply, code) => {
  const { mailId } = await queueKeyMail();
  resend.replies.push(reply);
  await deliver();
  const row = await rowOf(mailId);
  expect(row).toMatchObject({ status: "pending", last_error_code: code, leased_until: null });
  expect(row.next_attempt_at - row.created_at).toBeGreaterThan(2_000);
  await makeDue(mailId);
  await deliver();
  expect((await rowOf(mailId)).status).toBe("sent");
});

it("a mail refused by the provider is abandoned at once, and its key is kept for a corrected address", async () => {
  const { mailId } = await queueKeyMail();
  resend.replies.push({ status: 422 });
  await deliver();
  const row = await rowOf(mailId);
  expect(row).toMatchObject({ status: "dead", last_error_code: "resend_422_validation_error" });
  expect(row.secret_encrypted).not.toBeNull();
  expect(JSON.stringify(row)).not.toContain("someone@example.com");
});

it("a mail whose answer was lost is sent again with the same idempotency key", async () => {
  const { mailId } = await queueKeyMail();
  resend.replies.push("hang");
  await deliver();
  await makeDue(mailId);
  await deliver();
  expect(resend.received).toHaveLength(2);
  expect(new Set(resend.received.map((sent) => sent.idempotencyKey)).size).toBe(1);
});

it("at most two mails a second are sent", async () => {
  for (let i = 0; i < 5; i++) await queueKeyMail();
  expect(await deliver(transport)).toBe(5);
  const times = resend.received.map((sent) => sent.atMs);
  for (let i = 2; i < times.length; i++) expect(times[i]! - times[i - 2]!).toBeGreaterThan(950);
});

it("a mail that has failed for three days is abandoned", async () => {
  const { mailId } = await queueKeyMail();
  await sql`update mail_outbox set created_at = now() - interval '73 hours', attempts = 25 where id = ${mailId}`;
  resend.replies.push({ status: 500 });
  await deliver();
  expect(await rowOf(mailId)).toMatchObject({ status: "dead", attempts: 26 });
});
