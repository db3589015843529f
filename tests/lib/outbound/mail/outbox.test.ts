import type postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { db } from "@/db/client";
import { leaseDueMail, markMailDead, markMailForRetry, markMailSent } from "@/db/queries/mail";
import { countMailQueue } from "@/db/queries/mail-queue";
import { readServiceState } from "@/lib/health/service-state";
import { deliverDueMail } from "@/lib/outbound/mail/deliver-mail";
import { MAIL_KINDS, type MailPropsByKind, type NEW_LINK_HINTS } from "@/lib/outbound/mail/kinds";
import {
  canResendKeyMail,
  keepsRecipient,
  listMail,
  previewMail,
  resendMail,
  wipeOldSecrets,
} from "@/lib/outbound/mail/outbox";
import { queueMail } from "@/lib/outbound/mail/queue-mail";
import type { MailTransport } from "@/lib/outbound/mail/transport";
import type { Actor } from "@/lib/runtime/audit";
import { decrypt } from "@/lib/runtime/secrets";
import { connectDirectly, useDatabase } from "@/tests/support/database";
import { queueKeyMail, queuePlainMail } from "@/tests/support/mail";
import { freshEmail } from "@/tests/support/payments";

useDatabase();

const admin: Actor = { kind: "admin-secret", address: "127.0.0.1", requestId: "test-request" };
const page = { limit: 50, offset: 0 };
const reminder = {
  userName: "Ada",
  planTier: "pro",
  expiresAt: "2026-11-28T08:00:00Z",
  daysLeft: 7,
} as const;
const giveUp = (mailId: number) =>
  markMailDead(
    db(),
    { id: mailId, attempts: 0 },
    { code: "smtp_550_EENVELOPE", transport: "smtp", wipeSecret: false },
  );

let sql: postgres.Sql;
beforeAll(() => {
  sql = connectDirectly();
});
beforeEach(() => sql`delete from mail_outbox`);
afterAll(() => sql.end());

describe("a mail leased by another worker", () => {
  it("a worker whose lease of a mail was taken over cannot mark the mail as failed", async () => {
    const { mailId } = await queueKeyMail();
    const former = await leaseDueMail(db(), MAIL_KINDS, 0);
    const present = await leaseDueMail(db(), MAIL_KINDS, 60);
    expect([former?.id, former?.attempts, present?.id, present?.attempts]).toEqual([mailId, 1, mailId, 2]);
    if (!former || !present) return;
    const failure = { code: "smtp_late", transport: "smtp" };
    await markMailForRetry(db(), former, { ...failure, delayMs: 60_000 });
    await markMailDead(db(), former, { ...failure, wipeSecret: true });
    const [row] =
      await sql`select status, last_error_code, secret_encrypted is not null as sealed from mail_outbox`;
    expect(row).toEqual({ status: "pending", last_error_code: null, sealed: true });
    expect(await leaseDueMail(db(), MAIL_KINDS, 60), "it is still in hand").toBeNull();
  });
});

describe("a failed mail", () => {
  it("a failed mail counts as undelivered until it is sent again", async () => {
    const { mailId } = await queueKeyMail();
    await giveUp(mailId);
    expect((await countMailQueue(db())).dead).toBe(1);
    await resendMail(db(), mailId, admin);
    expect((await countMailQueue(db())).dead).toBe(0);
  });

  it("a failed mail no longer counts as undelivered after eight days", async () => {
    const { mailId } = await queueKeyMail();
    await giveUp(mailId);
    await sql`update mail_outbox set created_at = now() - interval '8 days'`;
    expect((await countMailQueue(db())).dead).toBe(0);
  });

  it("canResendKeyMail is true only for a failed mail whose key is still stored", async () => {
    const { mailId } = await queueKeyMail();
    await sql`update mail_outbox set subscription_id = 77`;
    const can = () => canResendKeyMail(db(), 77);
    expect(await can(), "waiting").toBe(false);
    await giveUp(mailId);
    expect(await can(), "failed").toBe(true);
    await sql`update mail_outbox set secret_encrypted = null`;
    expect(await can(), "key deleted").toBe(false);
  });
});

describe("a mail sent but not recorded", () => {
  it("a mail whose sending was not recorded is recorded at the next run, and not sent again by the same process", async () => {
    const { mailId } = await queueKeyMail();
    const other = await sql.reserve();
    const sent: number[] = [];
    const transport: MailTransport = {
      name: "smtp",
      maxPerSecond: 100,
      async send(mail) {
        sent.push(mail.mailId);
        // Another transaction locks the row when the mail is to be recorded.
        await other`begin`;
        await other`select 1 from mail_outbox where id = ${mailId} for update`;
        return { result: "sent" };
      },
    };
    const deliver = () => deliverDueMail(db(), new AbortController().signal, transport);
    await expect(deliver()).rejects.toThrow();
    await other`rollback`;
    other.release();
    await sql`update mail_outbox set leased_until = null`;
    await deliver();
    expect(sent).toEqual([mailId]);
    expect(await sql`select status, transport from mail_outbox`).toMatchObject([
      { status: "sent", transport: "smtp" },
    ]);
  });
});

describe("a retried mail", () => {
  it("a mail names the ledger head of the moment it was queued, with the same bytes at each attempt", async () => {
    const sent: string[] = [];
    const transport: MailTransport = {
      name: "smtp",
      maxPerSecond: 100,
      async send({ text }) {
        sent.push(text);
        return { result: "retry", code: "smtp_late" };
      },
    };
    const root = "cd".repeat(32);
    const sign = (size: number) =>
      sql`insert into ledger_checkpoints (size, root, note) values (${size}, decode(${root}, 'hex'), 'note')`;
    const [{ id } = { id: 0 }] = await sql`
      insert into subscriptions (user_name, email) values ('Ada', ${freshEmail()}) returning id`;
    await sign(4711);
    await queueMail(db(), {
      ...{ kind: "expiry-reminder", dedupeKey: "expiry-reminder/1", subscriptionId: id },
      ...{ recipient: "ada@example.test", props: reminder },
    });
    for (const size of [4712, 4713]) {
      await sign(size);
      await deliverDueMail(db(), new AbortController().signal, transport);
      await sql`update mail_outbox set next_attempt_at = now(), leased_until = null`;
    }
    await queueKeyMail();
    await deliverDueMail(db(), new AbortController().signal, transport);
    expect(sent[0]).toContain(`Head of the ledger: 4711:${root}.`);
    expect(sent[1]).toBe(sent[0]);
    expect(sent.filter((text) => text.includes("Head of the ledger")).length).toBe(3);
    await sql`delete from ledger_checkpoints`;
  });
});

describe("a mail with a link", () => {
  const LINKS = {
    "sign-in": { expiresMinutes: 10 },
    "try-out": { expiresHours: 24 },
    "admin-sign-in": { expiresMinutes: 10 },
    "admin-invitation": { name: "Ada", role: "owner", expiresHours: 72 },
    "account-deletion": { userName: "Ada", expiresMinutes: 60 },
    "address-change": { userName: "Ada", isNew: true, expiresMinutes: 60 },
  } as const satisfies { [K in keyof typeof NEW_LINK_HINTS]: MailPropsByKind[K] };

  it.each(Object.entries(LINKS))(
    "%s is sent while its link works, and not afterwards",
    async (kind, props) => {
      const minutes = "expiresMinutes" in props ? props.expiresMinutes : 60 * props.expiresHours;
      const queue = async (age: number) => {
        const { mailId } = await queueMail(db(), {
          // The cast is right: the table has these kinds.
          kind: kind as keyof typeof LINKS,
          dedupeKey: `${kind}/${age}`,
          ...{ subscriptionId: null, recipient: "ada@example.test", props, secret: "token" },
        });
        await sql`update mail_outbox set created_at = now() - make_interval(mins => ${age}) where id = ${mailId}`;
      };
      await queue(minutes - 1);
      await queue(minutes + 1);
      const transport: MailTransport = {
        name: "smtp",
        maxPerSecond: 100,
        send: async () => ({ result: "sent" }),
      };
      expect(await deliverDueMail(db(), new AbortController().signal, transport)).toBe(1);
      const rows = await sql`select status, last_error_code, secret_encrypted from mail_outbox order by id`;
      expect([...rows]).toEqual([
        { status: "sent", last_error_code: null, secret_encrypted: null },
        { status: "dead", last_error_code: "link_expired", secret_encrypted: null },
      ]);
    },
  );
});

describe("the mail status", () => {
  const mailState = async () => {
    const { components } = await readServiceState(new Date());
    return components.find(({ name }) => name === "mail")?.status;
  };
  const fail = (id: number) =>
    markMailForRetry(
      db(),
      { id, attempts: 0 },
      { code: "smtp_ECONNREFUSED", transport: "smtp", delayMs: 5_000 },
    );
  const queue = () => queuePlainMail("expiry-reminder", reminder, "ada@example.test");

  it("the mail status is degraded while the newest mail could not be sent, and ok once it is sent", async () => {
    expect(await mailState()).toBe("ok");
    await markMailSent(db(), await queue(), "smtp");
    const waiting = await queue();
    expect(await mailState()).toBe("ok");
    await fail(waiting);
    expect(await mailState()).toBe("degraded");
    await markMailSent(db(), waiting, "smtp");
    expect(await mailState()).toBe("ok");
  });

  it("the mail status is ok with failed mails before a sent one, and with an abandoned mail after it", async () => {
    await fail(await queue());
    await giveUp(await queue());
    await markMailSent(db(), await queue(), "smtp");
    expect(await mailState()).toBe("ok");
    await giveUp(await queue());
    expect(await mailState()).toBe("ok");
  });

  it("the mail status is degraded for an hour when the only mail tried was an expired link", async () => {
    await sql`insert into mail_outbox (dedupe_key, kind, recipient, props, status, last_error_code)
              values ('sign-in/x', 'sign-in', 'a@example.test', '{}', 'dead', 'link_expired')`;
    expect(await mailState()).toBe("degraded");
    await sql`update mail_outbox set created_at = now() - interval '24 hours'`;
    expect(await mailState(), "a link that was valid for a day").toBe("degraded");
    await sql`update mail_outbox set next_attempt_at = now() - interval '61 minutes'`;
    expect(await mailState()).toBe("ok");
  });
});

describe("the outbox", () => {
  it("the outbox lists mails by state, kind and recipient, without secrets", async () => {
    const key = await queueKeyMail("Someone@example.com");
    await queuePlainMail("expiry-reminder", reminder, "other@example.com");
    await giveUp(key.mailId);
    const dead = await listMail(db(), { status: "dead", ...page });
    expect(dead).toMatchObject({
      total: 1,
      mails: [
        { id: key.mailId, kind: "key-created", lastErrorCode: "smtp_550_EENVELOPE", holdsSecret: true },
      ],
    });
    expect((await listMail(db(), { q: "someone@", ...page })).total).toBe(1);
    expect((await listMail(db(), { kind: "expiry-reminder", ...page })).total).toBe(1);
    const all = JSON.stringify(await listMail(db(), page));
    expect(all).not.toContain(key.secret);
    expect(all).not.toContain("v1.");
  });

  it("previewMail renders a queued mail with its key hidden", async () => {
    const { mailId, secret } = await queueKeyMail();
    const preview = await previewMail(db(), mailId);
    expect(preview.subject).toBe("Your API key is ready");
    expect(preview.html).toContain("hidden");
    expect(JSON.stringify(preview)).not.toContain(secret);
    await expect(previewMail(db(), 999_999)).rejects.toMatchObject({ code: "not_found" });
  });

  it("the outbox resends an abandoned mail once to the subscriber's corrected address, with its key", async () => {
    const { mailId, secret } = await queueKeyMail("tpyo@example.com");
    const [{ id } = { id: 0 }] = await sql`
      insert into subscriptions (user_name, email) values ('Ada', 'typo@example.com') returning id`;
    await sql`update mail_outbox set subscription_id = ${id} where id = ${mailId}`;
    await giveUp(mailId);
    const again = await resendMail(db(), mailId, admin);
    const [row] = await sql`select * from mail_outbox where id = ${again}`;
    expect(row).toMatchObject({
      recipient: "typo@example.com",
      status: "pending",
      attempts: 0,
      kind: "key-created",
    });
    expect(decrypt(row!.secret_encrypted)).toBe(secret);
    expect(
      (await sql`select secret_encrypted from mail_outbox where id = ${mailId}`)[0]!.secret_encrypted,
    ).toBeNull();
    await expect(resendMail(db(), mailId, admin)).rejects.toMatchObject({ code: "conflict" });
    const [audit] = await sql`select action, details from admin_audit where target = ${`mail/${again}`}`;
    expect(audit).toEqual({
      action: "mail.resend",
      details: { formerMailId: mailId, addressCorrected: true },
    });
  });

  it("the outbox resends the warning about a changed address to the former mailbox, and a reminder to the present one", async () => {
    const [{ id } = { id: 0 }] = await sql`
      insert into subscriptions (user_name, email) values ('Ada', 'present@example.com') returning id`;
    for (const [kind, props, recipient] of [
      ["address-changed", { userName: "Ada", isNew: false }, "former@example.com"],
      ["expiry-reminder", reminder, "present@example.com"],
    ] as const) {
      const mailId = await queuePlainMail(kind, props, "former@example.com");
      await sql`update mail_outbox set subscription_id = ${id} where id = ${mailId}`;
      await giveUp(mailId);
      const again = await resendMail(db(), mailId, admin);
      const [row] = await sql`select recipient from mail_outbox where id = ${again}`;
      expect(row).toEqual({ recipient });
      expect(keepsRecipient({ kind, subscriptionId: id })).toBe(recipient === "former@example.com");
    }
  });

  it("of two requests at the same time to resend a mail, one is refused", async () => {
    const mailId = await queuePlainMail("expiry-reminder", reminder, "a@example.com");
    await giveUp(mailId);
    const results = await Promise.allSettled([
      resendMail(db(), mailId, admin),
      resendMail(db(), mailId, admin),
    ]);
    expect(results.map((result) => result.status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("the outbox refuses to resend waiting mails, mails with wiped keys and unknown ids", async () => {
    const waiting = await queueKeyMail();
    await expect(resendMail(db(), waiting.mailId, admin)).rejects.toMatchObject({ code: "conflict" });
    await markMailSent(db(), waiting.mailId, "smtp");
    await expect(resendMail(db(), waiting.mailId, admin)).rejects.toMatchObject({
      code: "conflict",
      detail: expect.stringContaining("no longer stored"),
    });
    await expect(resendMail(db(), 999_999, admin)).rejects.toMatchObject({ code: "not_found" });
  });

  it("the key of an abandoned mail is wiped after a week", async () => {
    const { mailId } = await queueKeyMail();
    await giveUp(mailId);
    const now = Date.now();
    expect(await wipeOldSecrets(db(), new Date(now + 6.9 * 86_400_000))).toBe(0);
    expect(await wipeOldSecrets(db(), new Date(now + 7.1 * 86_400_000))).toBe(1);
  });
});
