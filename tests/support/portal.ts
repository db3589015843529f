import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { POST as signInByKey } from "@/app/login/by-key/route";
import { POST as signInByLink } from "@/app/login/by-link/route";
import { POST as requestLink } from "@/app/login/request-link/route";
import { db } from "@/db/client";
import { decrypt } from "@/lib/runtime/secrets";

const HOST = "signals.example.test";

export interface FormOptions {
  cookie?: string;
  headers?: Record<string, string>;
  /** The visitor's network address; test files use different ones to keep rate limits apart. */
  address?: string;
}

/** The request that a browser sends when a form on a page of the site is posted. */
export function portalForm(path: string, fields: Record<string, string>, options: FormOptions = {}): Request {
  return new Request(`https://${HOST}${path}`, {
    method: "POST",
    headers: {
      host: HOST,
      "sec-fetch-site": "same-origin",
      "x-client-address": options.address ?? "192.0.2.1",
      ...(options.cookie ? { cookie: options.cookie } : {}),
      ...options.headers,
    },
    body: new URLSearchParams(fields),
  });
}

/** A GET request of a page or download, with the session cookie if given. */
export function portalRequest(path: string, cookie?: string): Request {
  return new Request(`https://${HOST}${path}`, { headers: cookie ? { cookie } : {} });
}

/** `name=value` of the session cookie in an answer; null without one. */
export function sessionCookieOf(response: Response): string | null {
  const set = response.headers
    .getSetCookie()
    .find((cookie) => /^(__Secure-)?next-auth\.session-token=/.test(cookie));
  const [pair = ""] = set?.split(";") ?? [];
  return pair.endsWith("=") || pair === "" ? null : pair;
}

/** Signs in to the portal by API key. Returns the session cookie. */
export async function signInWithKey(key: string, address?: string): Promise<string> {
  const options = address ? { address } : {};
  const cookie = sessionCookieOf(await signInByKey(portalForm("/login/by-key", { api_key: key }, options)));
  if (cookie === null) throw new Error("not signed in");
  return cookie;
}

/** Requests a sign-in link for an address. Returns the link's token from the queued mail, or null if none was queued. */
export async function requestSignInToken(email: string, address?: string): Promise<string | null> {
  const before = await newestSignInMail(email);
  await requestLink(portalForm("/login/request-link", { email }, address ? { address } : {}));
  const mail = await newestSignInMail(email);
  return mail && mail.id !== before?.id ? decrypt(mail.secret) : null;
}

/** Requests a sign-in link and signs in to the portal with it. Returns the session cookie. */
export async function signInWithLink(email: string, address?: string): Promise<string> {
  const token = await requestSignInToken(email, address);
  const cookie = sessionCookieOf(await signInByLink(portalForm("/login/by-link", { token: token ?? "" })));
  if (cookie === null) throw new Error("not signed in");
  return cookie;
}

async function newestSignInMail(email: string) {
  const [row] = await db().execute<{ id: string; secret: string }>(sql`
    select id, secret_encrypted as secret from mail_outbox
     where kind = 'sign-in' and lower(recipient) = ${email.trim().toLowerCase()} order by id desc limit 1`);
  return row ?? null;
}

/** Lines logged so far by this test process. */
export function readLog(): string {
  try {
    return readFileSync(process.env.LOG_FILE ?? "", "utf8");
  } catch {
    return "";
  }
}
