import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { deliverDueMail } from "@/lib/outbound/mail/deliver-mail";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import type { MailTransport } from "@/lib/outbound/mail/transport";
import { smtpTransport } from "@/lib/outbound/mail/transports/smtp";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { NEVER_ABORTED, queueKeyMail, queuePlainMail } from "@/tests/support/mail";
import { type MailCatcher, startMailCatcher } from "@/tests/support/mail-catcher";

useDatabase({ MAIL_FROM: "Signals <signals@example.test>" });

let sql: postgres.Sql;
let catcher: MailCatcher;
let transport: MailTransport;
beforeAll(async () => {
  sql = connectDirectly();
  catcher = await startMailCatcher();
  transport = smtpTransport(catcher.url);
});
afterEach(async () => {
  catcher.refuse(null);
  catcher.mails.length = 0;
  await sql`delete from mail_outbox`;
});
afterAll(async () => {
  await catcher.close();
  await sql.end();
});

const deliver = (via = transport) => deliverDueMail(db(), NEVER_ABORTED, via);
const rowOf = async (mailId: number) => (await sql`select * from mail_outbox where id = ${mailId}`)[0]!;

describe("over SMTP", () => {
  it("a mail arrives with its HTML and its plain part, its sender and its own Message-ID", async () => {
    const { mailId, secret, recipient } = await queueKeyMail();
    expect(await deliver()).toBe(1);
    const [mail] = catcher.to(recipient);
    expect(mail).toMatchObject({
      from: { address: "signals@example.test", name: "Signals" },
      to: [{ address: recipient }],
      subject: "Your API key is ready",
      messageId: `<key-created.${mailId}@example.test>`,
    });
    expect(mail!.text).toContain(secret);
    expect(mail!.html).toContain(secret);
    expect(mail!.headers.find((header) => header.key === "auto-submitted")?.value).toBe("auto-generated");
    expect(mail!.headers.some((header) => header.key === "list-unsubscribe")).toBe(false);
    expect(await rowOf(mailId)).toMatchObject({ status: "sent", transport: "smtp", secret_encrypted: null });
  });

  it("a hostile name adds no header and no recipient", async () => {
    const userName = "Ada\r\nBcc: victim@example.com\r\n\r\n<script>";
    const props = {
      userName,
      event: "payment.invoice_refunded",
      revokedAt: "2026-11-21T09:30:00Z",
      keysRevoked: 1,
    } as const;
    await queuePlainMail("access-revoked", props, "buyer@example.com");
    await deliver();
    expect(catcher.mails).toHaveLength(1);
    expect(catcher.mails[0]!.recipients).toEqual(["buyer@example.com"]);
    expect(catcher.mails[0]!.headers.some((header) => header.key === "bcc")).toBe(false);
    expect(catcher.mails[0]!.html).not.toContain("<script>");
  });

  it("an internationalised domain is addressed in its ASCII form", async () => {
    await queueKeyMail("buyer@münchen.example");
    await deliver();
    expect(catcher.mails).toHaveLength(1);
    expect(catcher.mails[0]!.raw).toMatch(/^To: <?buyer@xn--mnchen-3ya\.example>?\r$/m);
  });

  it.each([
    ["recipient", 450, "pending"],
    ["recipient", 550, "dead"],
    ["data", 451, "pending"],
    ["data", 554, "dead"],
  ] as const)("an SMTP answer to the %s with %i leaves the mail %s", async (stage, code, status) => {
    const { mailId } = await queueKeyMail();
    catcher.refuse({ stage, code });
    await deliver();
    const row = await rowOf(mailId);
    expect(row.status).toBe(status);
    expect(row.last_error_code).toMatch(new RegExp(`^smtp_${code}_E`));
    expect(row.secret_encrypted).not.toBeNull();
  });

  it("a mail to an unreachable SMTP server stays pending", async () => {
    const { mailId } = await queueKeyMail();
    await deliver(smtpTransport("smtp://127.0.0.1:1"));
    expect(await rowOf(mailId)).toMatchObject({
      status: "pending",
      attempts: 1,
      last_error_code: "smtp_ESOCKET",
    });
  });
});

describe("the queue", () => {
  it("the mail queue sends more urgent kinds of mail first, even when they are queued last", async () => {
    await queuePlainMail(
      "ea-offline",
      { userName: "A", lastSeenAt: "2026-11-20T14:05:00Z", silentMinutes: 31 },
      "1@example.com",
    );
    await queueKeyMail("2@example.com");
    await queueMail(db(), {
      kind: "sign-in",
      dedupeKey: "sign-in/1",
      subscriptionId: null,
      recipient: "3@example.com",
      props: { expiresMinutes: 10 },
      secret: "token",
    });
    await deliver();
    expect(catcher.mails.map((mail) => mail.recipients[0])).toEqual([
      "3@example.com",
      "2@example.com",
      "1@example.com",
    ]);
  });

  it("the mail queue stores one mail when the same dedupe key is queued 20 times at once", async () => {
    const order = {
      kind: "key-rotated",
      dedupeKey: `key-rotated/${randomUUID()}`,
      subscriptionId: null,
      recipient: "once@example.com",
      props: { userName: "Ada", rotatedAt: "2026-11-21T09:30:00Z" },
      secret: "k",
    } as const;
    const queued = await Promise.all(Array.from({ length: 20 }, () => queueMail(db(), order)));
    expect(queued.filter((mail) => mail.queued)).toHaveLength(1);
  });

  it("the mail queue stores no mail of a transaction that rolls back", async () => {
    await expect(
      db().transaction(async (tx) => {
        await queueMail(tx, {
          kind: "sign-in",
          dedupeKey: "sign-in/rolled-back",
          subscriptionId: null,
          recipient: "x@example.com",
          props: { expiresMinutes: 10 },
          secret: "t",
        });
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await deliver()).toBe(0);
  });

  it("the mail queue sends each mail once when four runs send at the same time", async () => {
    for (let i = 0; i < 40; i++) await queueKeyMail();
    const handled = await Promise.all(Array.from({ length: 4 }, () => deliver()));
    expect(handled.reduce((sum, n) => sum + n, 0)).toBe(40);
    expect(catcher.mails).toHaveLength(40);
    expect(new Set(catcher.mails.map((mail) => mail.messageId)).size).toBe(40);
  });

  it("the mail queue takes over a dead worker's mail when its lease ends, not before", async () => {
    const { mailId } = await queueKeyMail();
    await sql`update mail_outbox set leased_until = now() + interval '60 seconds', attempts = 1 where id = ${mailId}`;
    expect(await deliver()).toBe(0);
    await sql`update mail_outbox set leased_until = now() - interval '1 second' where id = ${mailId}`;
    expect(await deliver()).toBe(1);
    expect(await rowOf(mailId)).toMatchObject({ status: "sent", attempts: 2 });
  });

  it("the mail queue drops a mail whose link has expired, and wipes its token", async () => {
    const { mailId } = await queueMail(db(), {
      kind: "sign-in",
      dedupeKey: "sign-in/late",
      subscriptionId: null,
      recipient: "late@example.com",
      props: { expiresMinutes: 10 },
      secret: "token",
    });
    await sql`update mail_outbox set created_at = now() - interval '11 minutes' where id = ${mailId}`;
    await deliver();
    expect(await rowOf(mailId ?? 0)).toMatchObject({
      status: "dead",
      last_error_code: "link_expired",
      secret_encrypted: null,
    });
    expect(catcher.mails).toHaveLength(0);
  });

  it("the mail queue is not blocked by a mail with an undecryptable secret", async () => {
    const broken = await queueKeyMail();
    await sql`update mail_outbox set secret_encrypted = 'v1.AAAA.AAAA.AAAA' where id = ${broken.mailId}`;
    const whole = await queueKeyMail();
    await deliver();
    expect(await rowOf(broken.mailId)).toMatchObject({ status: "pending", last_error_code: "not_written" });
    expect((await rowOf(whole.mailId)).status).toBe("sent");
  });

  it("queueing a mail wakes the worker's mail job at commit", async () => {
    const calls: string[] = [];
    const listening = await sql.listen("worker", (job) => calls.push(job));
    await queueKeyMail();
    await expect.poll(() => calls).toEqual(["mail"]);
    await listening.unlisten();
  });
});
