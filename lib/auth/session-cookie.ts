import { decode, type JWT } from "next-auth/jwt";
import { env } from "@/lib/runtime/env";

/** Whether the site uses TLS. Then the session cookie is Secure, and its name's prefix makes browsers enforce that. */
export function isSecureSite(): boolean {
  return env().baseUrl.startsWith("https:");
}

export function sessionCookieName(): string {
  return `${isSecureSite() ? "__Secure-" : ""}next-auth.session-token`;
}

/**
 * Whether the browser sent a session cookie, valid or not. A cookie without a valid session means that the session has
 * ended.
 */
export const hasSessionCookie = (cookie: (name: string) => string | undefined): boolean =>
  Boolean(cookie(sessionCookieName()));

/** The random token inside the encrypted session cookie; null: none, expired, or not issued here. */
export async function readSessionCookie(
  cookie: (name: string) => string | undefined,
): Promise<string | null> {
  const value = cookie(sessionCookieName());
  if (!value) return null;
  return (await readClaims(value))?.sessionToken ?? null;
}

/** The claims of a session cookie; null: expired, forged, truncated or encrypted with another secret. */
export async function readClaims(token: string): Promise<JWT | null> {
  return (await decryptCookie(token))?.claims ?? null;
}

/**
 * The claims of a next-auth cookie and the secret that encrypted it: the current one or an alternate; null: neither, or
 * the cookie has expired.
 * `salt`: the cookie's name, except for the session cookie.
 */
export async function decryptCookie(
  token: string,
  salt = "",
): Promise<{ claims: JWT; secret: string } | null> {
  const { nextauthSecret, alternates } = env();
  for (const secret of [nextauthSecret, ...alternates.NEXTAUTH_SECRET]) {
    try {
      const claims = await decode({ token, secret, salt });
      return claims && { claims, secret };
    } catch {
      // Try the next secret.
    }
  }
  return null;
}

/** Returns a function that reads a cookie of a request. */
export function cookiesOf(headers: Headers): (name: string) => string | undefined {
  const pairs = new Map(
    (headers.get("cookie") ?? "").split(";").flatMap((part): [string, string][] => {
      const at = part.indexOf("=");
      return at < 0 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()]];
    }),
  );
  return (name) => pairs.get(name);
}
