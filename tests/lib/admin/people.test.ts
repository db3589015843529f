import { sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { beforeAll, describe, expect, it } from "vitest";
import { POST as remove } from "@/app/admin/(area)/settings/people/[id]/remove/route";
import { POST as renewFactor } from "@/app/admin/(area)/settings/people/[id]/renew-factor/route";
import { POST as changeRole } from "@/app/admin/(area)/settings/people/[id]/role/route";
import { POST as invite } from "@/app/admin/(area)/settings/people/invite/route";
import { POST as newCodes } from "@/app/admin/(area)/settings/people/new-codes/route";
import { POST as savePlan } from "@/app/admin/(area)/settings/plans/[name]/save/route";
import { POST as subscriber } from "@/app/admin/(area)/subscribers/[id]/act/route";
import { POST as requestLink } from "@/app/admin/sign-in/by-mail/route";
import { POST as confirm } from "@/app/admin/sign-in/link/confirm/route";
import { db } from "@/db/client";
import { listAdministrators } from "@/db/queries/administrators";
import { listAudit } from "@/db/queries/audit";
import {
  readAdminLink,
  removeAdministrator,
  changeRole as setRole,
} from "@/lib/access/people/administrators";
import { ACTION_ROLES, roleForAction, roleForPage, roleIncludes } from "@/lib/access/people/roles";
import { totpStepOf } from "@/lib/access/people/second-factor";
import { authenticateAdminSession } from "@/lib/auth/admin-session";
import { consumeFlash } from "@/lib/auth/flash";
import { decrypt } from "@/lib/runtime/secrets";
import { formRequest, postAdminForm, signInAdmin } from "@/tests/support/admin-browser";
import { useDatabase } from "@/tests/support/database";

const { grant } = subscriber.forms;

useDatabase();

let cookie = "";
beforeAll(async () => {
  cookie = await signInAdmin();
});

/** The token in the latest mail of a kind to an address. */
async function mailed(kind: string, email: string): Promise<string> {
  const [row] = await db().execute<{ secret: string }>(
    sql`select secret_encrypted as secret from mail_outbox where kind = ${kind} and recipient = ${email} order by id desc limit 1`,
  );
  if (!row) throw new Error(`no mail ${kind}`);
  return decrypt(row.secret);
}

const countMails = async (kind: string) =>
  (await db().execute<{ n: number }>(sql`select count(*)::int as n from mail_outbox where kind = ${kind}`))[0]
    ?.n;

const ownerAddresses = async () =>
  (await listAdministrators(db())).flatMap(({ role, email }) => (role === "owner" ? [email] : [])).toSorted();

const codeAt = (secret: string, at: Date) =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: 30 }).generate({
    timestamp: at.getTime(),
  });

const confirmLink = (token: string, code: string) =>
  confirm(formRequest("/admin/sign-in/link/confirm", { token, code }));
const cookieOf = (answer: Response) => answer.headers.get("set-cookie")?.split(";")[0] ?? null;
const sessionOf = (of: string) => authenticateAdminSession(of.split("=")[1] ?? "");
const actorOf = ({ id }: { id: number }) =>
  ({ kind: "administrator", administratorId: id, address: "203.0.113.1", requestId: "test" }) as const;
let lastAddress = 1;
/** Requests a link; requests are limited by address, so each has its own. */
const ask = (email: string) =>
  requestLink(formRequest("/admin/sign-in/by-mail", { email }, { address: `203.0.113.${lastAddress++}` }));
/** Forgets which authenticator codes were used, so that the current code works again. */
const forgetUsedCodes = () => db().execute(sql`update administrators set totp_step = 0`);

/** Invites a person, who accepts. */
async function join(name: string, role: string) {
  const email = `${name.toLowerCase()}@people.example`;
  await postAdminForm(invite, {}, { name, email, role }, { cookie });
  const token = await mailed("admin-invitation", email);
  const opened = await readAdminLink(db(), token);
  const secret = opened?.authenticator?.secret ?? "";
  const usedCode = codeAt(secret, new Date());
  const answer = await confirmLink(token, usedCode);
  const own = cookieOf(answer);
  if (own === null) throw new Error(`not in: ${answer.headers.get("location")}`);
  const session = await sessionOf(own);
  const flash = await consumeFlash(db(), session!.sessionId);
  const codes = flash?.kind === "recovery-codes" ? flash.codes : [];
  return { email, token, secret, usedCode, cookie: own, codes, id: session!.person!.id, answer };
}

describe("an invited administrator", () => {
  it("an invited administrator accepts with the first code, gets recovery codes once, and is named in the audit log", async () => {
    const ada = await join("Ada", "owner");
    expect(ada.answer.headers.get("location")).toBe("/admin/recovery-codes");
    expect(new Set(ada.codes).size).toBe(10);
    const session = await sessionOf(ada.cookie);
    expect(session?.person).toMatchObject({ name: "Ada", role: "owner" });
    expect(await consumeFlash(db(), session!.sessionId), "the codes are shown once").toBeNull();

    // The invitation and its code are used up, and the page no longer shows the secret.
    expect(cookieOf(await confirmLink(ada.token, codeAt(ada.secret, new Date())))).toBeNull();
    expect(await readAdminLink(db(), ada.token)).toBeNull();

    await postAdminForm(
      invite,
      {},
      { name: "Bob", email: "bob@people.example", role: "reader" },
      { cookie: ada.cookie },
    );
    const [newest] = await listAudit(db(), { action: "people.invite" }, 1);
    expect(newest).toMatchObject({ person: "Ada", actor: `administrator/${ada.id}` });
    const [invitation] = await db().execute<{ props: object }>(
      sql`select props from mail_outbox where kind = 'admin-invitation' and recipient = 'bob@people.example'`,
    );
    expect(invitation?.props).toMatchObject({ invitedBy: "Ada", expiresHours: 72 });
    const stored = JSON.stringify(await db().execute(sql`select * from administrators`));
    for (const secret of [ada.secret, ada.token, ...ada.codes]) expect(stored).not.toContain(secret);
  });

  it("an invitation is refused when the address already belongs to an administrator", async () => {
    await join("Cleo", "reader");
    await postAdminForm(invite, {}, { name: "C", email: "CLEO@people.example", role: "owner" }, { cookie });
    const session = await sessionOf(cookie);
    expect(await consumeFlash(db(), session!.sessionId)).toMatchObject({
      errors: { email: "is the address of an administrator already" },
    });
  });
});

describe("sign-in as a person", () => {
  it("a sign-in needs a mailed link and a fresh code; a code and a recovery code work once each", async () => {
    const dora = await join("Dora", "support");
    expect((await ask("Dora@People.example")).headers.get("location")).toBe("/admin/sign-in?reason=sent");
    const token = await mailed("admin-sign-in", dora.email);
    expect((await readAdminLink(db(), token))?.authenticator, "the secret is shown once").toBeNull();
    // The code that accepted the invitation was used.
    expect((await confirmLink(token, dora.usedCode)).headers.get("location")).toContain("tries=4");
    await forgetUsedCodes();
    expect(cookieOf(await confirmLink(token, codeAt(dora.secret, new Date())))).not.toBeNull();

    for (const [code, works] of [
      [dora.codes[0], true],
      [dora.codes[0], false],
      [dora.codes[1]?.toUpperCase(), true],
    ] as const) {
      await db().execute(sql`update administrators set link_hash = null`);
      await ask(dora.email);
      const next = await mailed("admin-sign-in", dora.email);
      expect(cookieOf(await confirmLink(next, code ?? "")) !== null, code).toBe(works);
    }
    const sent = await db().execute<{ left: number }>(
      sql`select (props ->> 'codesLeft')::int as left from mail_outbox
           where kind = 'recovery-code-used' and recipient = ${dora.email} order by id`,
    );
    expect(sent.map(({ left }) => left)).toEqual([9, 8]);
  });

  it("new recovery codes replace the former ones of the signed-in person, and are shown once", async () => {
    const ivy = await join("Ivy", "owner");
    const answer = await postAdminForm(newCodes, {}, {}, { cookie: ivy.cookie });
    expect(answer.headers.get("location")).toBe("/admin/recovery-codes");
    const session = await sessionOf(ivy.cookie);
    const flash = await consumeFlash(db(), session!.sessionId);
    const codes = flash?.kind === "recovery-codes" ? flash.codes : [];
    expect(new Set([...codes, ...ivy.codes]).size).toBe(20);
    for (const [code, works] of [
      [ivy.codes[0], false],
      [codes[0], true],
    ] as const) {
      await db().execute(sql`update administrators set link_hash = null`);
      await ask(ivy.email);
      const next = await mailed("admin-sign-in", ivy.email);
      expect(cookieOf(await confirmLink(next, code ?? "")) !== null).toBe(works);
    }
    const asSecret = await postAdminForm(newCodes, {}, {}, { cookie });
    expect(asSecret.headers.get("location")).toBe("/admin/settings/people");
  });

  it("a sign-in ends after five wrong codes, and a second request for a link sends none and uses up no try", async () => {
    const eve = await join("Eve", "reader");
    await forgetUsedCodes();
    await ask(eve.email);
    const token = await mailed("admin-sign-in", eve.email);
    const before = await countMails("admin-sign-in");
    await ask(eve.email);
    expect(await countMails("admin-sign-in"), "the link that is out stays good").toBe(before);
    for (const tries of ["tries=4", "tries=3", "tries=2", "tries=1", "reason=link"])
      expect((await confirmLink(token, "000000")).headers.get("location")).toContain(tries);
    const late = await confirmLink(token, codeAt(eve.secret, new Date()));
    expect([cookieOf(late), late.headers.get("location")]).toEqual([null, "/admin/sign-in?reason=link"]);
  });

  it("ten wrong codes across three links lock the authenticator, and each owner gets one mail", async () => {
    const owner = await join("Olga", "owner");
    const ivan = await join("Ivan", "support");
    await forgetUsedCodes();
    const freshLink = async () => {
      await db().execute(sql`update administrators set link_hash = null`);
      await ask(ivan.email);
      return mailed("admin-sign-in", ivan.email);
    };
    // A correct code in between resets the count.
    for (let i = 0; i < 2; i++) await confirmLink(await freshLink(), "000000");
    expect(cookieOf(await confirmLink(await freshLink(), codeAt(ivan.secret, new Date())))).not.toBeNull();
    await forgetUsedCodes();

    // Concurrent guesses, on three links.
    for (const guesses of [4, 3, 3]) {
      const token = await freshLink();
      await Promise.all(Array.from({ length: guesses }, () => confirmLink(token, "000000")));
    }
    const token = await freshLink();
    const right = await confirmLink(token, codeAt(ivan.secret, new Date()));
    expect(cookieOf(right), "the right code is refused").toBeNull();
    expect(right.headers.get("location")).toContain("locked=yes");
    const rows = await db().execute<{ recipient: string }>(
      sql`select recipient from mail_outbox where kind = 'second-factor-locked' and props->>'name' = 'Ivan'`,
    );
    const told = rows.map(({ recipient }) => recipient);
    expect(told).toContain(owner.email);
    expect(told.toSorted()).toEqual(await ownerAddresses());
    const [audited] = await listAudit(db(), { action: "people.lock_second_factor" }, 1);
    expect(audited).toMatchObject({ target: `administrator/${ivan.id}` });

    // A recovery code cannot be guessed, so it signs in and ends the lock.
    expect(cookieOf(await confirmLink(token, ivan.codes[0] ?? ""))).not.toBeNull();
    await forgetUsedCodes();
    expect(cookieOf(await confirmLink(await freshLink(), codeAt(ivan.secret, new Date())))).not.toBeNull();
  });

  it("without the former encryption key a recovery code signs in, and a code of the authenticator gets the cause", async () => {
    const nina = await join("Nina", "reader");
    await db().execute(
      sql`update administrators set totp_secret_encrypted = 'v99.AAAAAAAAAAAAAAAA.AAAA.AAAAAAAAAAAAAAAAAAAAAA' where id = ${nina.id}`,
    );
    await ask(nina.email);
    const token = await mailed("admin-sign-in", nina.email);
    const refused = await confirmLink(token, "123456");
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining("other encryption keys than before"),
    ]);
    expect(cookieOf(await confirmLink(token, nina.codes[0] ?? ""))).not.toBeNull();
  });

  it("an authenticator code is accepted again after the lock has ended", async () => {
    const jane = await join("Jane", "reader");
    await forgetUsedCodes();
    await db().execute(
      sql`update administrators set locked_until = now() - interval '1 second' where id = ${jane.id}`,
    );
    await ask(jane.email);
    const token = await mailed("admin-sign-in", jane.email);
    expect(cookieOf(await confirmLink(token, codeAt(jane.secret, new Date())))).not.toBeNull();
  });

  it("a request for a sign-in link by an unknown e-mail address gets the same answer, and no mail", async () => {
    const before = await countMails("admin-sign-in");
    const answer = await ask("nobody@people.example");
    expect(answer.headers.get("location")).toBe("/admin/sign-in?reason=sent");
    expect(await countMails("admin-sign-in")).toBe(before);
  });

  it("a sign-in with the installation's secret is mailed to every owner", async () => {
    const frida = await join("Frida", "owner");
    await join("Gina", "support");
    await signInAdmin(undefined, "198.51.100.77");
    const rows = await db().execute<{ recipient: string; props: { address: string } }>(
      sql`select recipient, props from mail_outbox where kind = 'admin-secret-used' and props->>'address' = '198.51.100.77'`,
    );
    const told = rows.map(({ recipient }) => recipient);
    expect(told).toContain(frida.email);
    expect(told.toSorted()).toEqual(await ownerAddresses());
  });
});

describe("a lost authenticator", () => {
  it("only an owner renews a lost authenticator; the former one, its recovery codes and the person's sessions end", async () => {
    const kim = await join("Kim", "support");
    await postAdminForm(renewFactor, { id: String(kim.id) }, {}, { cookie: kim.cookie });
    expect(await sessionOf(kim.cookie), "needs an owner").not.toBeNull();

    await postAdminForm(renewFactor, { id: String(kim.id) }, {}, { cookie });
    expect(await sessionOf(kim.cookie)).toBeNull();
    const token = await mailed("admin-invitation", kim.email);
    const orders = await db().execute<{ renewal: boolean | null }>(
      sql`select props -> 'isRenewal' as renewal from mail_outbox
           where kind = 'admin-invitation' and recipient = ${kim.email} order by id`,
    );
    expect(orders.map(({ renewal }) => renewal)).toEqual([null, true]);
    const renewed = (await readAdminLink(db(), token))?.authenticator?.secret ?? "";
    expect(renewed).not.toBe(kim.secret);
    await forgetUsedCodes();
    for (const former of [codeAt(kim.secret, new Date()), kim.codes[0] ?? ""])
      expect(cookieOf(await confirmLink(token, former))).toBeNull();
    const session = await sessionOf(cookieOf(await confirmLink(token, codeAt(renewed, new Date()))) ?? "");
    expect(session?.person).toMatchObject({ id: kim.id, role: "support" });
    expect(await consumeFlash(db(), session!.sessionId)).toMatchObject({ kind: "recovery-codes" });
  });

  it("renewing the authenticator of a person who has not accepted the invitation leaves the invitation's link valid", async () => {
    await postAdminForm(invite, {}, { name: "Lea", email: "lea@people.example", role: "reader" }, { cookie });
    const token = await mailed("admin-invitation", "lea@people.example");
    const lea = (await listAdministrators(db())).find(({ name }) => name === "Lea");
    await postAdminForm(renewFactor, { id: String(lea?.id) }, {}, { cookie });
    expect(await readAdminLink(db(), token)).not.toBeNull();
  });
});

describe("roles", () => {
  it("a role applies at each request, and a removed person is refused at the next", async () => {
    const hal = await join("Hal", "reader");
    const refused = await postAdminForm(savePlan, { name: "basic" }, {}, { cookie: hal.cookie });
    expect(refused.headers.get("location")).toBe("/admin?reason=role");
    const asReader = await postAdminForm(grant, { id: "1" }, { key_id: "1" }, { cookie: hal.cookie });
    expect(asReader.headers.get("location")).toContain("reason=role");

    await postAdminForm(changeRole, { id: String(hal.id) }, { role: "support" }, { cookie });
    const asSupport = await postAdminForm(grant, { id: "1" }, { key_id: "1" }, { cookie: hal.cookie });
    expect(asSupport.headers.get("location")).not.toContain("reason=role");
    expect(
      (await postAdminForm(savePlan, { name: "basic" }, {}, { cookie: hal.cookie })).headers.get("location"),
    ).toContain("reason=role");

    await postAdminForm(remove, { id: String(hal.id) }, {}, { cookie });
    expect(await sessionOf(hal.cookie)).toBeNull();
    await ask(hal.email);
    const [row] = await db().execute<{ n: number }>(
      sql`select count(*)::int as n from mail_outbox where kind = 'admin-sign-in' and recipient = ${hal.email}`,
    );
    expect(row?.n).toBe(0);
    const [removed] = await listAudit(db(), { action: "people.remove" }, 1);
    expect(removed?.target).toBe(`administrator/${hal.id}`);
  });

  it("an owner cannot demote or remove themselves, and the last owner cannot be removed or demoted", async () => {
    const ida = await join("Ida", "owner");
    const jan = await join("Jan", "owner");
    await db().execute(sql`
      update administrators set role = 'reader' where role = 'owner' and id not in (${ida.id}, ${jan.id})`);
    const isOwner = async ({ id }: { id: number }) =>
      (await listAdministrators(db())).find((person) => person.id === id)?.role === "owner";

    await postAdminForm(changeRole, { id: String(ida.id) }, { role: "reader" }, { cookie: ida.cookie });
    await postAdminForm(remove, { id: String(ida.id) }, {}, { cookie: ida.cookie });
    expect(await isOwner(ida)).toBe(true);

    // Both are owners when their requests are authorised.
    await Promise.all(
      [removeAdministrator(db(), jan.id, actorOf(ida)), setRole(db(), ida.id, "reader", actorOf(jan))].map(
        (change) => change.catch((error: unknown) => expect(error).toMatchObject({ code: "conflict" })),
      ),
    );
    expect([await isOwner(ida), await isOwner(jan)].filter(Boolean)).toHaveLength(1);

    // The administrator secret cannot remove or demote the last owner either.
    const last = (await isOwner(ida)) ? ida : jan;
    await postAdminForm(remove, { id: String(last.id) }, {}, { cookie });
    await postAdminForm(changeRole, { id: String(last.id) }, { role: "support" }, { cookie });
    expect(await isOwner(last)).toBe(true);
  });

  it("a form that is missing from the table of roles needs the role owner", () => {
    expect(roleForAction("something.new")).toBe("owner");
    expect(roleForPage("/admin/settings/people?x=1")).toBe("owner");
    expect(roleForPage("/admin/settings/plans")).toBe("reader");
    expect(roleIncludes("owner", "reader")).toBe(true);
    expect(roleIncludes("reader", "support")).toBe(false);
    expect(Object.keys(ACTION_ROLES).length).toBeGreaterThan(20);
  });
});

describe("TOTP codes", () => {
  // RFC 6238, appendix B, for SHA-1, truncated to six digits.
  it.each([
    [59, "287082"],
    [1111111109, "081804"],
    [1234567890, "005924"],
    [20000000000, "353130"],
  ])("the TOTP code at %i s matches the standard", (seconds, code) => {
    const secret = Secret.fromLatin1("12345678901234567890").base32;
    expect(totpStepOf(secret, code, new Date(seconds * 1000))).toBe(Math.floor(seconds / 30));
    expect(totpStepOf(secret, code, new Date((seconds + 90) * 1000))).toBeNull();
  });
});
