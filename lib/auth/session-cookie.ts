import { decode, type JWT } from "next-auth/jwt";
import { env } from "@/lib/runtime/env";

/**
 * Whether the site is behind TLS. Then the session cookie is Secure, and the prefix of its name makes the browser
 * require that.
 */
export function isSecureSite(): boolean {
  return env().baseUrl.startsWith("https:");
}

export function sessionCookieName(): string {
  return `${isSecureSite() ? "__Secure-" : ""}next-auth.session-token`;
}

/** Whether the browser sent a session at all: one that leads to no page any more has ended. */
export const hasSessionCookie = (cookie: (name: string) => string | undefined): boolean =>
  Boolean(cookie(sessionCookieName()));

/** The random token inside the signed and encrypted session cookie; null when there is none or it was not made here. */
export async function readSessionCookie(
  cookie: (name: string) => string | undefined,
): Promise<string | null> {
  const value = cookie(sessionCookieName());
  if (!value) return null;
  return (await readClaims(value))?.sessionToken ?? null;
}

/** What a session cookie says. null: it was forged, cut short or sealed with another secret. */
export async function readClaims(token: string): Promise<JWT | null> {
  return (await openCookie(token))?.claims ?? null;
}

/**
 * What a cookie of next-auth says, and the secret that sealed it: the one in use or one that is accepted beside it.
 * `salt`: the name of the cookie, except for the session's.
 */
export async function openCookie(token: string, salt = ""): Promise<{ claims: JWT; secret: string } | null> {
  const { nextauthSecret, beside } = env();
  for (const secret of [nextauthSecret, ...beside.NEXTAUTH_SECRET]) {
    try {
      const claims = await decode({ token, secret, salt });
      return claims && { claims, secret };
    } catch {
      // Perhaps it was sealed with the other one.
    }
  }
  return null;
}

/** Reads cookies of a plain request. */
export function cookiesOf(headers: Headers): (name: string) => string | undefined {
  const pairs = new Map(
    (headers.get("cookie") ?? "").split(";").flatMap((part): [string, string][] => {
      const at = part.indexOf("=");
      return at < 0 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim()]];
    }),
  );
  return (name) => pairs.get(name);
}
