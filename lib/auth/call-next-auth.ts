import type { NextApiRequest, NextApiResponse } from "next";
import NextAuth from "next-auth";
import { nextAuthOptions } from "./next-auth-options";
import { cookiesOf, isSecureSite, sessionCookieName } from "./session-cookie";

export interface NextAuthAnswer {
  /** Ready `Set-Cookie` values. */
  cookies: string[];
  /** Where next-auth would send the browser. */
  location: string | null;
}

/**
 * Runs one action of next-auth for a form of our own, so that signing in and out works without a script. The form's
 * origin was checked before; next-auth's own token against forged requests is fetched and handed back here
 * (decision 82).
 */
export async function callNextAuth(
  request: Request,
  action: "callback" | "signout",
  fields: Record<string, string>,
  provider?: string,
): Promise<NextAuthAnswer> {
  const csrf = await run({ method: "GET", nextauth: ["csrf"], headers: {}, cookies: {}, body: {} });
  const csrfCookie = cookieOf(csrf.cookies, `${isSecureSite() ? "__Host-" : ""}next-auth.csrf-token`);
  const [csrfToken = ""] = csrfCookie.value.split("|");
  const session = cookiesOf(request.headers)(sessionCookieName());
  const answer = await run({
    method: "POST",
    nextauth: provider === undefined ? [action] : [action, provider],
    headers: Object.fromEntries(request.headers),
    cookies: {
      [csrfCookie.name]: csrfCookie.value,
      ...(session === undefined ? {} : { [sessionCookieName()]: session }),
    },
    body: { ...fields, csrfToken },
  });
  // Only the session's cookie is of use to the browser: the others belong to forms that next-auth draws itself.
  return {
    ...answer,
    cookies: answer.cookies.filter((cookie) => cookie.startsWith(`${sessionCookieName()}=`)),
  };
}

interface Call {
  method: string;
  nextauth: string[];
  headers: Record<string, string>;
  cookies: Record<string, string>;
  body: Record<string, string>;
}

async function run(call: Call): Promise<NextAuthAnswer> {
  const headers = new Map<string, string | string[]>();
  const response = {
    status: () => response,
    setHeader: (name: string, value: string | string[]) => {
      headers.set(name.toLowerCase(), value);
      return response;
    },
    getHeader: (name: string) => headers.get(name.toLowerCase()),
    end: () => undefined,
    json: () => undefined,
    send: () => undefined,
  };
  const { nextauth, ...rest } = call;
  // next-auth reads these few members of Node's request and response and no others.
  const incoming = { ...rest, query: { nextauth } } as unknown as NextApiRequest;
  const outgoing = response as unknown as NextApiResponse;
  await NextAuth(incoming, outgoing, nextAuthOptions());
  const cookies = headers.get("set-cookie") ?? [];
  const location = headers.get("location");
  return {
    cookies: Array.isArray(cookies) ? cookies : [cookies],
    location: typeof location === "string" ? location : null,
  };
}

function cookieOf(cookies: string[], name: string): { name: string; value: string } {
  const found = cookies.find((cookie) => cookie.startsWith(`${name}=`));
  if (!found) throw new Error("next-auth gave no token for its form");
  const [pair = ""] = found.split(";");
  return { name, value: decodeURIComponent(pair.slice(name.length + 1)) };
}
