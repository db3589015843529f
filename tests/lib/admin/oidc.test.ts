import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { POST as remove } from "@/app/admin/(area)/settings/people/[id]/remove/route";
import { POST as invite } from "@/app/admin/(area)/settings/people/invite/route";
import { POST as confirm } from "@/app/admin/sign-in/link/confirm/route";
import { GET as start } from "@/app/admin/sign-in/oidc/route";
import { GET as back } from "@/app/api/auth/callback/oidc/route";
import { db } from "@/db/client";
import { readAdminLink } from "@/lib/access/people/administrators";
import { authenticateAdminSession } from "@/lib/auth/admin-session";
import { env } from "@/lib/runtime/env";
import { formRequest, postAdminForm, signInAdmin } from "@/tests/support/admin-browser";
import { useDatabase } from "@/tests/support/database";
import { type OidcProvider, type ProviderFaults, startOidcProvider } from "@/tests/support/oidc-provider";

useDatabase();

let provider: OidcProvider;
let secretCookie = "";
let address = "";
let lastAddress = 1;

beforeAll(async () => {
  secretCookie = await signInAdmin();
  provider = await startOidcProvider(() => `${env().baseUrl}/api/auth/callback/oidc`);
});
afterAll(() => provider.close());
beforeEach(() => {
  // Requests are limited by network, so each test has its own.
  address = `198.18.${lastAddress++}.7`;
  const { issuer, clientId, clientSecret } = provider;
  Object.assign(env(), { oidc: { issuer, clientId, clientSecret } });
  provider.faults = {};
  provider.person = {};
});

/** A browser that follows redirects and keeps the cookies of the service and of the provider. */
class Browser {
  readonly cookies = new Map<string, string>();

  request(path: string): Request {
    const headers = new Headers({ "x-client-address": address });
    headers.set("Cookie", [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    return new Request(new URL(path, env().baseUrl), { headers });
  }

  #keep(answer: Response): string {
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer.headers.get("location") ?? "";
  }

  /** Starts the sign-in with the provider. Returns the address of the provider's page. */
  async leave(): Promise<string> {
    return this.#keep(await start(this.request("/admin/sign-in/oidc")));
  }

  /** Opens the provider's page, which redirects at once. Returns the address of the service to which it redirects. */
  async atProvider(location: string): Promise<string> {
    const answer = await fetch(location, { redirect: "manual" });
    expect(answer.status, await answer.text()).toBe(302);
    return answer.headers.get("location") ?? "";
  }

  async comeBack(location: string): Promise<string> {
    return this.#keep(await back(this.request(location)));
  }

  async signIn(): Promise<string> {
    return this.comeBack(await this.atProvider(await this.leave()));
  }
}

const codeOf = (secret: string) =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: "SHA1", digits: 6, period: 30 }).generate();
const tokenIn = (location: string) => new URL(location, env().baseUrl).searchParams.get("token") ?? "";
const forgetUsedCodes = () => db().execute(sql`update administrators set totp_step = 0`);
const countSessions = async () =>
  (
    await db().execute<{ n: number }>(
      sql`select count(*)::int as n from sessions where administrator_id is not null`,
    )
  )[0]?.n;
const log = () => readFileSync(process.env.LOG_FILE ?? "", "utf8");

async function inviteOne(name: string, role = "support") {
  const email = `${name.toLowerCase()}@staff.example`;
  await postAdminForm(invite, {}, { name, email, role }, { cookie: secretCookie });
  return email;
}

/** Invites a person, who accepts through the provider. Returns the person's address and authenticator secret. */
async function join(name: string): Promise<{ email: string; secret: string }> {
  const email = await inviteOne(name);
  provider.person = { email, email_verified: true };
  const token = tokenIn(await new Browser().signIn());
  const secret = (await readAdminLink(db(), token))?.authenticator?.secret ?? "";
  const answer = await confirm(
    formRequest("/admin/sign-in/link/confirm", { token, code: codeOf(secret) }, { address }),
  );
  expect(answer.headers.get("location")).toBe("/admin/recovery-codes");
  await forgetUsedCodes();
  return { email, secret };
}

describe("an administrator signing in with OIDC", () => {
  it("an OIDC sign-in is redirected with state, nonce and PKCE, kept in cookies hidden from scripts", async () => {
    const answer = await start(new Browser().request("/admin/sign-in/oidc"));
    const location = new URL(answer.headers.get("location") ?? "");
    expect(location.origin).toBe(provider.issuer);
    const query = Object.fromEntries(location.searchParams);
    expect(query).toMatchObject({
      client_id: provider.clientId,
      redirect_uri: "https://signals.example.test/api/auth/callback/oidc",
      response_type: "code",
      scope: "openid email",
      code_challenge_method: "S256",
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(query[name]?.length).toBeGreaterThan(20);
    const cookies = answer.headers.getSetCookie();
    expect(cookies).toHaveLength(3);
    for (const cookie of cookies) {
      for (const part of ["HttpOnly", "Secure", "SameSite=Lax"]) expect(cookie).toContain(part);
      expect(cookie).not.toContain(query.state ?? "?");
      expect(cookie).not.toContain(query.nonce ?? "?");
    }
  });

  it("the administrator enters an authenticator code, then has a session with the role from the database", async () => {
    const { email, secret } = await join("Ada");
    provider.person = { email: email.toUpperCase(), email_verified: true };
    const before = await countSessions();
    const browser = new Browser();
    const to = await browser.signIn();
    expect(to).toMatch(/^\/admin\/sign-in\/link\?token=/);
    expect(await countSessions(), "the provider alone opens nothing").toBe(before);
    expect(browser.cookies.size, "nothing is left of the way there").toBe(0);

    const wrong = await confirm(
      formRequest("/admin/sign-in/link/confirm", { token: tokenIn(to), code: "000000" }, { address }),
    );
    expect(wrong.headers.get("location")).toContain("tries=4");
    const right = await confirm(
      formRequest("/admin/sign-in/link/confirm", { token: tokenIn(to), code: codeOf(secret) }, { address }),
    );
    const cookie = right.headers.get("set-cookie")?.split(";")[0]?.split("=")[1] ?? "";
    expect((await authenticateAdminSession(cookie))?.person).toMatchObject({ name: "Ada", role: "support" });
  });

  it("an invitation can be accepted with OIDC, and shows the authenticator secret", async () => {
    await join("Bob");
    const [row] = await db().execute<{ accepted: boolean }>(
      sql`select accepted_at is not null as accepted from administrators where name = 'Bob'`,
    );
    expect(row?.accepted).toBe(true);
  });

  it("the e-mail address of an OIDC sign-in is read from the userinfo endpoint when the token omits it", async () => {
    provider.person = { email: await inviteOne("Cleo"), email_verified: true };
    provider.faults = { isThin: true };
    expect(await new Browser().signIn()).toContain("/admin/sign-in/link?token=");
    expect(provider.asked).toContain("/userinfo");
  });

  it("an OIDC sign-in continues when the cookie secret is replaced midway", async () => {
    provider.person = { email: await inviteOne("Dora"), email_verified: true };
    const browser = new Browser();
    const location = await browser.atProvider(await browser.leave());
    const config = env();
    const former = config.nextauthSecret;
    Object.assign(config, { nextauthSecret: "the-new-session-secret-0123456789" });
    Object.assign(config.alternates, { NEXTAUTH_SECRET: [former] });
    try {
      expect(await browser.comeBack(location)).toContain("/admin/sign-in/link?token=");
    } finally {
      Object.assign(config, { nextauthSecret: former });
      Object.assign(config.alternates, { NEXTAUTH_SECRET: [] });
    }
  });

  it("an administrator whom an owner removed cannot sign in with OIDC", async () => {
    provider.person = { email: await inviteOne("Eve"), email_verified: true };
    const [row] = await db().execute<{ id: number }>(sql`select id from administrators where name = 'Eve'`);
    await postAdminForm(remove, { id: String(row?.id) }, {}, { cookie: secretCookie });
    expect(await new Browser().signIn()).toBe("/admin/sign-in?reason=oidc-person");
  });
});

describe("the OIDC sign-in", () => {
  const AWAY = "/admin/sign-in?reason=oidc";
  const NO_PERSON = "/admin/sign-in?reason=oidc-person";

  it.each<[string, ProviderFaults, string]>([
    ["with another nonce", { claims: { nonce: "another" } }, AWAY],
    ["without a nonce", { claims: { nonce: undefined } }, AWAY],
    ["for another audience", { claims: { aud: "another-client" } }, AWAY],
    [
      "for several audiences with another authorised party",
      { claims: { aud: ["signals", "x"], azp: "x" } },
      AWAY,
    ],
    ["with a token that has expired", { claims: { exp: Math.floor(Date.now() / 1_000) - 60 } }, AWAY],
    ["with a token of the future", { claims: { nbf: Math.floor(Date.now() / 1_000) + 600 } }, AWAY],
    ["with another issuer's token", { claims: { iss: "https://evil.example" } }, AWAY],
    ["whose discovery document names another issuer", { issuer: "https://evil.example" }, NO_PERSON],
    ["with a token that another key signed", { signedBy: "another key" }, AWAY],
    ["with a token that the client's secret signed", { signedBy: "the secret" }, AWAY],
    ["with an unsigned token", { signedBy: "nobody" }, AWAY],
    ["for an address that is not confirmed", { claims: { email_verified: false } }, NO_PERSON],
    ["for an address that is confirmed as text", { claims: { email_verified: "true" } }, NO_PERSON],
    [
      "for an address whose confirmation is nowhere",
      { claims: { email_verified: undefined }, userinfo: { email_verified: undefined } },
      NO_PERSON,
    ],
    [
      "when the address of the token is not the confirmed one of the userinfo",
      { claims: { email_verified: undefined }, userinfo: { email: "mallory@staff.example" } },
      NO_PERSON,
    ],
    ["whose userinfo names another person", { isThin: true, userinfo: { sub: "another" } }, AWAY],
    ["for an unknown person", { claims: { email: "nobody@staff.example" } }, NO_PERSON],
    ["for something that is no address", { claims: { email: ["frida@staff.example"] } }, NO_PERSON],
    ["when the person declines", { refuses: "access_denied" }, AWAY],
    ["when its token endpoint fails", { broken: "token" }, AWAY],
    ["when its keys cannot be read", { broken: "jwks" }, AWAY],
  ])("an OIDC sign-in is refused %s", async (_, faults, expected) => {
    const email = "frida@staff.example";
    await postAdminForm(invite, {}, { name: "Frida", email, role: "owner" }, { cookie: secretCookie });
    provider.person = { email, email_verified: true };
    provider.faults = faults;
    expect(await new Browser().signIn()).toBe(expected);
    const [row] = await db().execute<{ minutes: number }>(sql`
      select extract(epoch from link_expires_at - now()) / 60 as minutes from administrators where email = ${email}`);
    expect(Number(row?.minutes), "only the invitation's link is there").toBeGreaterThan(60);
    expect(log()).not.toContain("staff.example");
  });

  it("an OIDC sign-in fails with a message when the provider is unreachable", async () => {
    const browser = new Browser();
    provider.faults = { broken: "discovery" };
    expect(await browser.leave()).toBe(AWAY);
    provider.faults = { hangs: "discovery" };
    expect(await browser.leave()).toBe(AWAY);
    Object.assign(env(), { oidc: { issuer: "http://127.0.0.1:1", clientId: "a", clientSecret: "b" } });
    expect(await browser.leave()).toBe(AWAY);
    expect(browser.cookies.size).toBe(0);
  });

  it("an OIDC sign-in fails with a message when the provider becomes unreachable midway", async () => {
    provider.person = { email: await inviteOne("Gina"), email_verified: true };
    const browser = new Browser();
    const location = await browser.atProvider(await browser.leave());
    provider.faults = { hangs: "token" };
    expect(await browser.comeBack(location)).toBe(AWAY);
  });

  it("an OIDC code is refused when it was used, and in a browser that did not start the sign-in", async () => {
    provider.person = { email: await inviteOne("Hal"), email_verified: true };
    const browser = new Browser();
    const location = await browser.atProvider(await browser.leave());
    const cookies = new Map(browser.cookies);
    const stranger = new Browser();
    const before = provider.asked.length;
    expect(await stranger.comeBack(location), "whose browser it is decides").toBe(AWAY);
    stranger.cookies.set("__Secure-next-auth.state", "made-up");
    expect(await stranger.comeBack(location)).toBe(AWAY);
    expect(provider.asked.length, "and causes no request to the provider").toBe(before);
    expect(await browser.comeBack(location)).toContain("/admin/sign-in/link?token=");
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect(await browser.comeBack(location)).toBe(AWAY);
  });

  it("an OIDC code from another sign-in is refused", async () => {
    provider.person = { email: await inviteOne("Ivan"), email_verified: true };
    const [mine, theirs] = [new Browser(), new Browser()];
    const [own, other] = [
      await mine.atProvider(await mine.leave()),
      await theirs.atProvider(await theirs.leave()),
    ];
    expect(await mine.comeBack(other), "its state is another").toBe(AWAY);
    const mixed = new URL(other);
    mixed.searchParams.set("state", new URL(own).searchParams.get("state") ?? "");
    expect(await theirs.comeBack(mixed.href), "and so is its proof").toBe(AWAY);
  });

  it("an OIDC sign-in is refused with a wrong client secret", async () => {
    provider.person = { email: await inviteOne("Jane"), email_verified: true };
    const { issuer, clientId } = provider;
    Object.assign(env(), { oidc: { issuer, clientId, clientSecret: "wrong" } });
    expect(await new Browser().signIn()).toBe(AWAY);
    expect(log()).toContain("invalid_client");
  });

  it("an OIDC sign-in is refused after sixty from one network", async () => {
    for (let i = 0; i < 60; i++) await new Browser().leave();
    expect(await new Browser().leave()).toBe("/admin/sign-in?reason=wait");
  });

  it("an OIDC sign-in is refused when no provider is configured", async () => {
    Object.assign(env(), { oidc: null });
    expect(await new Browser().leave()).toBe("/admin/sign-in");
    expect(await new Browser().comeBack("/api/auth/callback/oidc?code=x&state=y")).toBe("/admin/sign-in");
  });

  it("an OIDC sign-in is 503 while the database is down", async () => {
    provider.person = { email: await inviteOne("Karl"), email_verified: true };
    const browser = new Browser();
    const location = await browser.atProvider(await browser.leave());
    await db().execute(sql`alter table administrators rename to administrators_away`);
    try {
      const answer = await back(browser.request(location));
      expect(answer.status).toBe(503);
    } finally {
      await db().execute(sql`alter table administrators_away rename to administrators`);
    }
  });
});
