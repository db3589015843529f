import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { POST as mail } from "@/app/admin/(area)/mail/[id]/act/route";
import { GET as previewHtml } from "@/app/admin/(area)/mail/[id]/preview.html/route";
import { GET as exportTable } from "@/app/admin/(area)/operations/export/[what]/route";
import { GET as find } from "@/app/admin/(area)/search/found/route";
import { POST as inviteAgain } from "@/app/admin/(area)/settings/people/[id]/invite-again/route";
import { POST as changeRole } from "@/app/admin/(area)/settings/people/[id]/role/route";
import { POST as invite } from "@/app/admin/(area)/settings/people/invite/route";
import { POST as subscriber } from "@/app/admin/(area)/subscribers/[id]/act/route";
import { db } from "@/db/client";
import { ensureUserByEmail } from "@/db/queries/users";
import { requestAddressChange, requestDeletion } from "@/lib/access/account/requests";
import { readAdminLink, requestAdminLink } from "@/lib/access/people/administrators";
import { requestTryOut } from "@/lib/access/try-outs";
import { requestSignInLink } from "@/lib/auth/request-sign-in-link";
import { decrypt, sha256 } from "@/lib/runtime/secrets";
import { ADMIN_ROLES, type AdminRole } from "@/lib/vocabulary";
import { formRequest, postAdminForm, signInAdmin } from "@/tests/support/admin-browser";
import { useDatabase } from "@/tests/support/database";

useDatabase();

/** Address of an attacker, to which the tests try to direct mails. It must receive none. */
const MALLORY = "mallory@people.example";
const cookies = new Map<AdminRole, string>();

beforeAll(async () => {
  for (const role of ADMIN_ROLES) {
    const cookie = await signInAdmin();
    const email = `${role}@people.example`;
    await db().execute(sql`
      with person as (
        insert into administrators (name, email, email_normalized, role, totp_secret_encrypted, accepted_at)
        values ('A person', ${email}, ${email}, ${role}, 'none', now()) returning id)
      update sessions set administrator_id = person.id from person
       where token_hash = ${sha256(cookie.slice(cookie.indexOf("=") + 1))}`);
    cookies.set(role, cookie);
  }
});

const cookieOf = (role: AdminRole) => cookies.get(role) ?? "";

async function makeSubscriber(email: string | null): Promise<number> {
  const [row] = await db().execute<{ id: number }>(sql`
    insert into subscriptions (user_name, email, email_normalized) values ('Ada', ${email}, ${email}) returning id`);
  return row?.id ?? 0;
}

const freshAddress = () => `${randomUUID().slice(0, 8)}@subscribers.example`;

/** Marks the newest mail of a kind as given up. Returns its id, its token and its recipient. */
async function givenUp(kind: string): Promise<{ id: number; token: string; recipient: string }> {
  const [row] = await db().execute<{ id: number; secret: string; recipient: string }>(sql`
    update mail_outbox set status = 'dead'
     where id = (select max(id) from mail_outbox where kind = ${kind})
    returning id, secret_encrypted as secret, recipient`);
  if (!row) throw new Error(`no mail ${kind}`);
  return { id: row.id, token: decrypt(row.secret), recipient: row.recipient };
}

const countMails = async () => Number((await db().execute(sql`select count(*) as n from mail_outbox`))[0]?.n);

/** Number of mails to MALLORY. */
const mailsToMallory = async () =>
  (await db().execute(sql`select 1 from mail_outbox where recipient = ${MALLORY}`)).length;

/** Every kind of mail whose link signs in or changes an account, and how to cause it. */
const LINKS: Record<string, () => Promise<void>> = {
  "sign-in": async () => {
    const email = freshAddress();
    await makeSubscriber(email);
    await requestSignInLink(db(), { email, network: randomUUID(), next: undefined });
  },
  "try-out": async () => {
    await requestTryOut(db(), freshAddress(), new Date());
  },
  "admin-sign-in": async () => {
    await db().execute(sql`update administrators set link_hash = null`);
    await requestAdminLink(db(), "owner@people.example");
  },
  "admin-invitation": async () => {
    const person = { name: "Ida", email: `${randomUUID()}@people.example`, role: "owner" };
    await postAdminForm(invite, {}, person, { cookie: cookieOf("owner") });
  },
  "account-deletion": async () => {
    await requestDeletion(db(), await makeSubscriber(freshAddress()), { kind: "worker" });
  },
  "address-change": async () => {
    const subscriptionId = await makeSubscriber(freshAddress());
    await requestAddressChange(db(), { subscriptionId, newEmail: freshAddress() }, { kind: "worker" });
  },
};

describe("a mail with a link", () => {
  describe.each(Object.keys(LINKS))("%s", (kind) => {
    it.each(ADMIN_ROLES)("a mail with a link is not resent by %s to any address", async (role) => {
      await LINKS[kind]?.();
      const { id } = await givenUp(kind);
      const before = await countMails();
      await postAdminForm(
        mail.forms.resend,
        { id: String(id) },
        { recipient: MALLORY },
        { cookie: cookieOf(role) },
      );
      expect(await countMails()).toBe(before);
      expect(await mailsToMallory()).toBe(0);
    });

    it.each(ADMIN_ROLES)(
      "the token of a mailed link is not shown to %s in preview, search or export",
      async (role) => {
        await LINKS[kind]?.();
        const { id, token } = await givenUp(kind);
        const headers = { Cookie: cookieOf(role) };
        const get = (path: string) => new Request(`https://signals.example.test${path}`, { headers });
        const shown = await previewHtml(get("/admin/mail/x/preview.html"), {
          params: Promise.resolve({ id: String(id) }),
        });
        const found = await find(get(`/admin/search/found?q=${encodeURIComponent(token)}`));
        const table = await exportTable(get("/admin/operations/export/audit"), {
          params: Promise.resolve({ what: "audit" }),
        });
        for (const answer of [shown, found, table]) {
          const text = await answer.text();
          expect(text).not.toContain(token);
          expect(text).not.toContain(sha256(token));
        }
      },
    );
  });
});

describe("a mail with a key", () => {
  it.each([
    ["owner", true],
    ["support", true],
    ["reader", false],
  ] as const)(
    "a mail with a key is resent by %s: %s, and only to the subscriber's address",
    async (role, goes) => {
      const email = freshAddress();
      const subscriptionId = await makeSubscriber(email);
      const { queueMail } = await import("@/lib/outbound/mail/queue-mail");
      await queueMail(db(), {
        kind: "key-created",
        dedupeKey: `key-created/${randomUUID()}`,
        subscriptionId,
        recipient: "typo@subscribers.example",
        props: { userName: "Ada", planTier: "pro", expiresAt: null },
        secret: randomUUID(),
      });
      const { id } = await givenUp("key-created");
      await postAdminForm(
        mail.forms.resend,
        { id: String(id) },
        { recipient: MALLORY },
        { cookie: cookieOf(role) },
      );
      const sent = await db().execute<{ recipient: string }>(sql`
      select recipient from mail_outbox where subscription_id = ${subscriptionId} and id > ${id}`);
      expect(sent.map(({ recipient }) => recipient)).toEqual(goes ? [email] : []);
      expect(await mailsToMallory()).toBe(0);
    },
  );
});

describe("the address of a subscriber", () => {
  const correct = (role: AdminRole, id: number, email: string) =>
    postAdminForm(
      subscriber.forms.contact,
      { id: String(id) },
      { user_name: "Ada", email, notes: "" },
      { cookie: cookieOf(role) },
    );
  const addressOf = async (id: number) =>
    (await db().execute<{ email: string }>(sql`select email from subscriptions where id = ${id}`))[0]?.email;
  const told = async (id: number) =>
    (
      await db().execute<{ recipient: string }>(sql`
        select recipient from mail_outbox where subscription_id = ${id} and kind = 'address-changed' order by id`)
    ).map(({ recipient }) => recipient);

  it.each([
    ["owner", true],
    ["support", true],
    ["reader", false],
  ] as const)(
    "an address that was never used to sign in is corrected by %s: %s, and both mailboxes are notified",
    async (role, may) => {
      const [former, fresh] = [freshAddress(), freshAddress()];
      const id = await makeSubscriber(former);
      await correct(role, id, fresh);
      expect(await addressOf(id)).toBe(may ? fresh : former);
      expect(await told(id)).toEqual(may ? [former, fresh] : []);
    },
  );

  it.each([
    ["owner", true],
    ["support", false],
    ["reader", false],
  ] as const)("an address that was used to sign in is changed by %s: %s", async (role, may) => {
    const former = freshAddress();
    const id = await makeSubscriber(former);
    await ensureUserByEmail(db(), former);
    const fresh = freshAddress();
    await correct(role, id, fresh);
    expect(await addressOf(id)).toBe(may ? fresh : former);
  });

  it.each([
    ["owner", true],
    ["support", false],
    ["reader", false],
  ] as const)("the address of an administrator is changed by %s: %s", async (role, may) => {
    const former = `${randomUUID().slice(0, 8)}@people.example`;
    await postAdminForm(
      invite,
      {},
      { name: "Olga", email: former, role: "owner" },
      { cookie: cookieOf("owner") },
    );
    const id = await makeSubscriber(former);
    const fresh = freshAddress();
    await correct(role, id, fresh);
    expect(await addressOf(id)).toBe(may ? fresh : former);
  });

  it("correcting an address ends its links and requests, and other pending mail goes to the new address", async () => {
    const [former, fresh] = [freshAddress(), freshAddress()];
    const id = await makeSubscriber(former);
    await requestSignInLink(db(), { email: former, network: randomUUID(), next: undefined });
    await requestDeletion(db(), id, { kind: "worker" });
    const { queueMail } = await import("@/lib/outbound/mail/queue-mail");
    await queueMail(db(), {
      kind: "access-suspended",
      dedupeKey: `access-suspended/${randomUUID()}`,
      subscriptionId: id,
      recipient: former,
      props: { userName: "Ada", suspendedAt: new Date().toISOString() },
    });
    await correct("support", id, fresh);
    expect(await addressOf(id)).toBe(fresh);
    const links = await db().execute(sql`select 1 from sign_in_tokens where email_normalized = ${former}`);
    const requests = await db().execute(
      sql`select 1 from account_requests where subscription_id = ${id} and expires_at > now()`,
    );
    expect([links.length, requests.length]).toEqual([0, 0]);
    const waiting = await db().execute(sql`
      select kind, recipient from mail_outbox where subscription_id = ${id} and kind <> 'address-changed' order by id`);
    expect(waiting).toEqual([
      { kind: "sign-in", recipient: former },
      { kind: "account-deletion", recipient: former },
      { kind: "access-suspended", recipient: fresh },
    ]);
  });
});

describe("an invitation", () => {
  const invited = async () => {
    await LINKS["admin-invitation"]?.();
    const former = await givenUp("admin-invitation");
    const [row] = await db().execute<{ id: number; secret: string }>(sql`
      select id, totp_secret_encrypted as secret from administrators where email = ${former.recipient}`);
    return { ...former, personId: row?.id ?? 0, secret: row?.secret ?? "" };
  };

  it.each([
    ["owner", true],
    ["support", false],
    ["reader", false],
  ] as const)(
    "an open invitation is renewed by %s: %s, with a new link and a new second factor",
    async (role, may) => {
      const { personId, token, secret } = await invited();
      const corrected = `${randomUUID()}@people.example`;
      await postAdminForm(
        inviteAgain,
        { id: String(personId) },
        { email: corrected },
        { cookie: cookieOf(role) },
      );
      expect((await readAdminLink(db(), token)) === null, "the former link is worth nothing").toBe(may);
      const [row] = await db().execute<{ email: string; secret: string }>(sql`
      select email, totp_secret_encrypted as secret from administrators where id = ${personId}`);
      expect([row?.email === corrected, row?.secret !== secret]).toEqual([may, may]);
      if (!may) return;
      const renewed = await givenUp("admin-invitation");
      expect(renewed.recipient).toBe(corrected);
      expect(await readAdminLink(db(), renewed.token)).not.toBeNull();
    },
  );

  it("an invitation is not renewed once accepted, nor for the address of another administrator", async () => {
    const { personId, recipient } = await invited();
    const again = (email: string) =>
      postAdminForm(inviteAgain, { id: String(personId) }, { email }, { cookie: cookieOf("owner") });
    await again("OWNER@people.example");
    await db().execute(sql`update administrators set accepted_at = now() where id = ${personId}`);
    await again(MALLORY);
    const [row] = await db().execute(sql`select email from administrators where id = ${personId}`);
    expect(row?.email).toBe(recipient);
    expect(await mailsToMallory()).toBe(0);
  });
});

describe("a role", () => {
  it.each(["support", "reader"] as const)(
    "the role owner is not granted by %s, to themselves or others",
    async (role) => {
      const people = await db().execute<{ id: number; role: string }>(
        sql`select id, role from administrators order by id`,
      );
      for (const { id } of people)
        await postAdminForm(changeRole, { id: String(id) }, { role: "owner" }, { cookie: cookieOf(role) });
      await postAdminForm(
        invite,
        {},
        { name: "M", email: MALLORY, role: "owner" },
        { cookie: cookieOf(role) },
      );
      expect(await db().execute(sql`select id, role from administrators order by id`)).toEqual(people);
      expect(await mailsToMallory()).toBe(0);
    },
  );

  it.each([
    ["owner", 200],
    ["support", 200],
    ["reader", 303],
  ] as const)("the role %s downloads exports: %i", async (role, status) => {
    for (const what of ["subscribers", "executions", "deliveries", "audit"]) {
      const answer = await exportTable(
        new Request(`https://signals.example.test/x`, { headers: { Cookie: cookieOf(role) } }),
        { params: Promise.resolve({ what }) },
      );
      expect(answer.status).toBe(status);
      await answer.body?.cancel();
    }
  });

  it("a form from another site is refused even for an owner", async () => {
    const request = formRequest(
      "/x",
      { role: "owner" },
      {
        cookie: cookieOf("owner"),
        headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
      },
    );
    const answer = await changeRole(request, { params: Promise.resolve({ id: "1" }) });
    expect(answer.status).toBe(403);
  });
});
