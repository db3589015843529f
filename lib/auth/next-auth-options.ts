import type { AuthOptions } from "next-auth";
import Credentials from "next-auth/providers/credentials";
import { db } from "@/db/client";
import { endSessionByToken, findSubscriberSession } from "@/db/queries/sessions";
import { CLIENT_ADDRESS_HEADER } from "@/lib/api/client-address";
import { paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { openSessionByKey, openSessionByLink, type SignInOutcome, type SignInVisitor } from "./open-session";
import { isSecureSite, readClaims } from "./session-cookie";
import { SESSION_DAYS, sessionTokenHashes } from "./session-token";

declare module "next-auth" {
  interface User {
    /** Random token of the new session. */
    sessionToken: string;
  }
}

declare module "next-auth/jwt" {
  interface JWT {
    sessionToken?: string;
  }
}

type IncomingHeaders = Record<string, string | string[] | undefined>;

/**
 * Sets NEXTAUTH_URL to BASE_URL. While this variable is set, next-auth takes the site's address from it and never from
 * the Host header.
 */
export function setNextAuthUrl(): void {
  process.env.NEXTAUTH_URL = env().baseUrl;
}

/**
 * The options of next-auth: two ways to sign in, and a cookie with only the random token of a row in `sessions`.
 */
export function nextAuthOptions(): AuthOptions {
  setNextAuthUrl();
  return {
    secret: env().nextauthSecret,
    useSecureCookies: isSecureSite(),
    jwt: { decode: async ({ token }) => (token ? readClaims(token) : null) },
    session: { strategy: "jwt", maxAge: SESSION_DAYS * 86_400 },
    pages: { signIn: paths.login(), signOut: paths.login(), error: paths.login() },
    providers: [
      Credentials({
        id: "link",
        name: "Link by e-mail",
        credentials: { token: {} },
        authorize: async (given, request) =>
          userOf(await openSessionByLink(db(), given?.token ?? "", visitorOf(request.headers))),
      }),
      Credentials({
        id: "key",
        name: "API key",
        credentials: { apiKey: {} },
        authorize: async (given, request) =>
          userOf(await openSessionByKey(db(), given?.apiKey ?? "", visitorOf(request.headers))),
      }),
    ],
    callbacks: {
      // The token is written at sign-in. On later requests the row decides whether it is valid.
      jwt: async ({ token, user }) => {
        if (user) return { sessionToken: user.sessionToken };
        if (!(await isSessionOpen(token.sessionToken))) throw new Error("the session has ended");
        return { sessionToken: token.sessionToken };
      },
      session: ({ session }) => ({ expires: session.expires }),
    },
    events: {
      signOut: async ({ token }) => {
        for (const hash of hashesOf(token.sessionToken)) await endSessionByToken(db(), hash);
      },
    },
    logger: {
      error: (code) => log("info", "sign-in", { code }),
      warn: () => undefined,
      debug: () => undefined,
    },
  };
}

function userOf(outcome: SignInOutcome) {
  // next-auth passes the message on to the page, so it must be one of this site's reason codes.
  if (!outcome.ok) throw new Error(outcome.reason);
  return { id: outcome.userId, sessionToken: outcome.sessionToken };
}

function visitorOf(headers: IncomingHeaders | undefined): SignInVisitor {
  const text = (name: string) => {
    const value = headers?.[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return {
    address: text(CLIENT_ADDRESS_HEADER) ?? "unknown",
    client: text("user-agent")?.slice(0, 200) ?? null,
  };
}

function hashesOf(token: string | undefined): string[] {
  return token === undefined ? [] : sessionTokenHashes(token);
}

async function isSessionOpen(token: string | undefined): Promise<boolean> {
  for (const hash of hashesOf(token)) if (await findSubscriberSession(db(), hash)) return true;
  return false;
}
