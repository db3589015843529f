import { randomBytes, randomUUID } from "node:crypto";
import type postgres from "postgres";
import { adminPaths } from "@/lib/paths";
import { sha256 } from "@/lib/runtime/secrets";
import { ADMIN_SECRET } from "@/tests/support/database";
import type { RunningServer } from "@/tests/support/server";
import { sendRequest } from "./send-request";

/** Every kind of caller, by name. */
export const CALLERS = [
  "nobody",
  "an unknown key",
  "the subscriber",
  "a telegram key",
  "a basic key",
  "a pro key",
  "an owner key",
  "the owner key of the environment",
  "a revoked key",
  "a key that expired an hour ago",
  "a key that expired long ago",
  "a rotated key",
  "a suspended key",
  "the subscriber's session",
  "another subscriber's session",
  "a session whose key was revoked",
  "a session that was ended",
  "a forged session",
  "the administrator's secret",
  "a wrong secret",
  "a producer's token",
  "the administrator's session",
  "an administrator's session that was ended",
  "an owner's session",
  "a supporter's session",
  "a reader's session",
  "a removed owner's session",
  "a view of a subscriber",
  "a view that was ended",
  "a view whose administrator signed out",
] as const;
export type Caller = (typeof CALLERS)[number];

/** Data of one subscriber ("the subscriber") that must appear in no answer to another subscriber. */
export const PRIVATE_DATA = {
  name: "Quirin Quokka",
  email: "quirin@quokka.example",
  ticket: "700700700700700",
} as const;

const SESSION_COOKIE = "next-auth.session-token";
const ADMIN_COOKIE = "admin_session";
export const OWNER_KEY = "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f";

/** The callers of one server with the credentials each of them sends. */
export class Callers {
  readonly #credentials = new Map<Caller, Record<string, string>>();
  /** Texts that must appear in no answer. */
  readonly secrets: string[] = [ADMIN_SECRET, OWNER_KEY];

  #forms = 0;

  constructor(
    readonly server: RunningServer,
    readonly sql: postgres.Sql,
  ) {}

  async prepare(): Promise<void> {
    for (const caller of CALLERS) await this.renew(caller);
  }

  headersOf(caller: Caller): Record<string, string> {
    return this.#credentials.get(caller) ?? {};
  }

  /** Gives a caller new credentials of the same kind, replacing those a request used up. */
  async renew(caller: Caller): Promise<void> {
    this.#credentials.set(caller, await this.#make(caller));
  }

  async #make(caller: Caller): Promise<Record<string, string>> {
    switch (caller) {
      case "nobody":
        return {};
      case "an unknown key":
        return { "X-API-Key": randomUUID() };
      case "the subscriber":
        return { "X-API-Key": (await this.#makeMarked()).key };
      case "a telegram key":
        return { "X-API-Key": (await this.#makeKey("telegram")).key };
      case "a basic key":
        return { "X-API-Key": (await this.#makeKey("basic")).key };
      case "a pro key":
        return { "X-API-Key": (await this.#makeKey("pro")).key };
      case "an owner key":
        return { "X-API-Key": (await this.#makeKey("owner")).key };
      case "the owner key of the environment":
        return { "X-API-Key": OWNER_KEY };
      case "a revoked key":
        return { "X-API-Key": await this.#makeEnded("revoked_at = now()") };
      case "a key that expired an hour ago":
        return { "X-API-Key": await this.#makeEnded("expires_at = now() - interval '1 hour'") };
      case "a key that expired long ago":
        return { "X-API-Key": await this.#makeEnded("expires_at = now() - interval '9 days'") };
      case "a rotated key":
        return { "X-API-Key": await this.#makeRotated() };
      case "a suspended key":
        return { "X-API-Key": await this.#makeEnded("suspended_at = now()") };
      case "the subscriber's session":
        return { Cookie: await this.#signIn((await this.#makeMarked()).key) };
      case "another subscriber's session":
        return { Cookie: await this.#signIn((await this.#makeKey("pro")).key) };
      case "a session whose key was revoked": {
        const { key, keyId } = await this.#makeKey("pro");
        const cookie = await this.#signIn(key);
        await this.sql`update api_keys set revoked_at = now() where id = ${keyId}`;
        return { Cookie: cookie };
      }
      case "a session that was ended": {
        const cookie = await this.#signIn((await this.#makeKey("pro")).key);
        await this.#form("/login/sign-out", {}, cookie);
        return { Cookie: cookie };
      }
      case "a forged session":
        return { Cookie: `${SESSION_COOKIE}=${randomBytes(180).toString("base64url")}` };
      case "the administrator's secret":
        return { "X-Admin-Secret": ADMIN_SECRET };
      case "a wrong secret":
        return { "X-Admin-Secret": `${ADMIN_SECRET.slice(0, -1)}x` };
      case "a producer's token":
        return { "X-Producer-Token": await this.#makeProducerToken() };
      case "the administrator's session":
        return { Cookie: await this.#signInAdmin() };
      case "an owner's session":
        return { Cookie: await this.#signInPerson("owner") };
      case "a supporter's session":
        return { Cookie: await this.#signInPerson("support") };
      case "a reader's session":
        return { Cookie: await this.#signInPerson("reader") };
      case "a removed owner's session":
        return { Cookie: await this.#signInPerson("owner", new Date()) };
      case "a view of a subscriber":
        return { Cookie: (await this.#openView()).view };
      case "a view that was ended": {
        const { view, admin, subscriptionId } = await this.#openView();
        await this.#form(adminPaths.subscriberForm(subscriptionId, "end-view"), {}, admin);
        return { Cookie: view };
      }
      case "a view whose administrator signed out": {
        const { view, admin } = await this.#openView();
        await this.#form("/admin/sign-out", {}, admin);
        return { Cookie: view };
      }
      case "an administrator's session that was ended": {
        const cookie = await this.#signInAdmin();
        await this.#form("/admin/sign-out", {}, cookie);
        return { Cookie: cookie };
      }
    }
  }

  async #makeKey(plan: string, wish: object = {}): Promise<{ key: string; keyId: number }> {
    const answer = await sendRequest(this.server.port, {
      method: "POST",
      path: "/admin/keys",
      headers: { "X-Admin-Secret": ADMIN_SECRET },
      body: JSON.stringify({ user_name: "Caller", plan_tier: plan, rate_limit_per_min: 100_000, ...wish }),
    });
    if (answer.status !== 201) throw new Error(`no key: ${answer.text}`);
    const { api_key: key, key_id: keyId } = JSON.parse(answer.text);
    this.secrets.push(key);
    return { key, keyId };
  }

  /** Creates a key of the subscriber whose data is PRIVATE_DATA, and reports a position with it. */
  async #makeMarked(): Promise<{ key: string; keyId: number }> {
    const made = await this.#makeKey("pro", { user_name: PRIVATE_DATA.name, email: PRIVATE_DATA.email });
    const report = await sendRequest(this.server.port, {
      method: "POST",
      path: "/api/executions",
      headers: { "X-API-Key": made.key },
      body: JSON.stringify({
        ticket: PRIVATE_DATA.ticket,
        symbol: "EURUSD",
        timeframe: "H1",
        signal: "BUY",
        entry_price: 1,
      }),
    });
    if (report.status !== 201) throw new Error(`no report: ${report.text}`);
    return made;
  }

  async #makeProducerToken(): Promise<string> {
    const token = `prod_${randomUUID()}`;
    await this.sql`
      insert into producer_tokens (name, token_hash, hint, slots)
      values (${randomUUID()}, ${sha256(token)}, '…', '{EURUSD/H1}')`;
    this.secrets.push(token);
    return token;
  }

  async #makeEnded(change: string): Promise<string> {
    const { key, keyId } = await this.#makeKey("pro");
    await this.sql.unsafe(`update api_keys set ${change} where id = ${keyId}`);
    return key;
  }

  async #makeRotated(): Promise<string> {
    const { key } = await this.#makeKey("pro");
    const headers = { "X-API-Key": key };
    await sendRequest(this.server.port, { method: "POST", path: "/api/account/regenerate-key", headers });
    return key;
  }

  async #signIn(key: string): Promise<string> {
    return this.#cookie(await this.#form("/login/by-key", { api_key: key }), SESSION_COOKIE);
  }

  async #signInAdmin(): Promise<string> {
    return this.#cookie(await this.#form("/admin/sign-in/enter", { secret: ADMIN_SECRET }), ADMIN_COOKIE);
  }

  /** Opens a session of a new administrator with this role, as a sign-in by a mailed link would. */
  async #signInPerson(role: string, removedAt: Date | null = null): Promise<string> {
    const cookie = await this.#signInAdmin();
    const email = `${randomUUID()}@people.example`;
    await this.sql`
      with person as (
        insert into administrators (name, email, email_normalized, role, totp_secret_encrypted, accepted_at, removed_at)
        values ('A person', ${email}, ${email}, ${role}, 'none', now(), ${removedAt}) returning id)
      update sessions set administrator_id = person.id from person
       where token_hash = ${sha256(cookie.slice(cookie.indexOf("=") + 1))}`;
    return cookie;
  }

  /** Opens a supporter's view of the portal of a new subscriber, not of the one whose data is PRIVATE_DATA. */
  async #openView(): Promise<{ view: string; admin: string; subscriptionId: number }> {
    const { keyId } = await this.#makeKey("pro");
    const [key] = await this.sql<{ subscription_id: number }[]>`
      select subscription_id from api_keys where id = ${keyId}`;
    const subscriptionId = key?.subscription_id ?? 0;
    const admin = await this.#signInPerson("support");
    const answer = await this.#form(adminPaths.subscriberForm(subscriptionId, "view"), {}, admin);
    return { view: this.#cookie(answer, "portal_view"), admin, subscriptionId };
  }

  #cookie(
    answer: { status: number; headers: { "set-cookie"?: string[] | undefined } },
    name: string,
  ): string {
    const [pair] = answer.headers["set-cookie"]?.find((set) => set.startsWith(`${name}=`))?.split(";") ?? [];
    if (pair === undefined) throw new Error(`not signed in: no cookie ${name} in an answer ${answer.status}`);
    return pair;
  }

  #form(path: string, fields: Record<string, string>, cookie?: string) {
    // Another client address for each form, so that limits per address do not apply.
    const n = this.#forms++;
    return sendRequest(this.server.port, {
      method: "POST",
      path,
      headers: {
        "X-Forwarded-For": `172.16.${(n >> 8) & 255}.${n & 255}`,
        ...FORM_HEADERS,
        ...(cookie === undefined ? {} : { Cookie: cookie }),
      },
      body: new URLSearchParams(fields).toString(),
    });
  }
}

/** Headers that a browser sends when a form of the site itself is posted. */
export const FORM_HEADERS = {
  "Content-Type": "application/x-www-form-urlencoded",
  "Sec-Fetch-Site": "same-origin",
} as const;
