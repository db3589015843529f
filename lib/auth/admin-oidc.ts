import type { AuthOptions, Profile } from "next-auth";
import type { OAuthConfig } from "next-auth/providers/oauth";
import { db } from "@/db/client";
import { clientNetwork } from "@/lib/access/limits/client-network";
import { issueAdminLinkToken } from "@/lib/access/people/administrators";
import { clientAddress } from "@/lib/api/client-address";
import { adminPaths } from "@/lib/paths";
import { type Env, env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { bareIssuer, discoveryDocumentUrl } from "@/lib/runtime/oidc-issuer";
import { Email } from "@/lib/wire/email";
import { postToNextAuth, runNextAuth } from "./call-next-auth";
import { setNextAuthUrl } from "./next-auth-options";
import { cookiesOf, decryptCookie, isSecureSite } from "./session-cookie";
import { recordOidcRedirect } from "./sign-in-limits";

/** Where to redirect the browser, and the cookies to set. */
interface Step {
  to: string;
  cookies: string[];
}

type Provider = NonNullable<Env["oidc"]>;

/**
 * Claims of an identity token whose signature, issuer, audience, time and nonce were verified. If the token lacks
 * `email` or `email_verified`, both come from the provider's userinfo endpoint.
 */
interface Claims extends Profile {
  iss?: string;
  email_verified?: unknown;
}

const refused = (reason: "oidc" | "oidc-person" | "wait"): Step => ({
  to: adminPaths.signIn({ reason }),
  cookies: [],
});

const WITHOUT_PROVIDER: Step = { to: adminPaths.signIn(), cookies: [] };

/**
 * Redirects a browser to the identity provider, or to the sign-in page if none is configured, the provider cannot be
 * reached or the network's limit is reached.
 */
export async function startAdminOidc(request: Request): Promise<Step> {
  const { oidc } = env();
  if (oidc === null) return WITHOUT_PROVIDER;
  if (!(await recordOidcRedirect(networkOf(request)))) return refused("wait");
  const options = optionsFor(oidc, async () => refused("oidc").to);
  const { cookies, location } = await postToNextAuth(request, ["signin", "oidc"], {}, options);
  const checks = cookies.filter(isCheck);
  // No address or too few cookies: next-auth could not reach the provider, and its redirect leads to its own error page.
  if (location === null || checks.length < CHECKS.length) return refused("oidc");
  return { to: location, cookies: checks };
}

/**
 * Handles the callback of the identity provider. A confirmed administrator gets the page of a sign-in link, which
 * asks for the authenticator's code. No session is opened here.
 */
export async function finishAdminOidc(request: Request): Promise<Step> {
  const { oidc } = env();
  if (oidc === null) return WITHOUT_PROVIDER;
  const cookie = cookiesOf(request.headers);
  const sent = Object.fromEntries(
    CHECKS.flatMap((name) => {
      const value = cookie(cookieName(name));
      return value === undefined ? [] : [[cookieName(name), value]];
    }),
  );
  // Without our state cookie the browser was not sent to the provider by this site: do not contact the provider.
  const state = await decryptCookie(sent[cookieName("state")] ?? "", cookieName("state"));
  if (state === null) return refused("oidc");
  if (!(await recordOidcRedirect(networkOf(request)))) return refused("wait");

  let to = refused("oidc").to;
  let failure: unknown = null;
  const options = optionsFor(oidc, async (claims) => {
    try {
      to = await pageFor(oidc, claims);
    } catch (error) {
      failure = error;
    }
    return to;
  });
  // next-auth accepts one secret. During a rotation another replica may have encrypted the cookies with the other one.
  options.secret = state.secret;
  const { cookies } = await runNextAuth(
    {
      method: "GET",
      nextauth: ["callback", "oidc"],
      headers: Object.fromEntries(request.headers),
      cookies: sent,
      body: {},
      query: Object.fromEntries(new URL(request.url).searchParams),
    },
    options,
  );
  if (failure !== null) throw failure;
  return { to, cookies: cookies.filter(isCheck) };
}

/** The address to redirect to: a sign-in link for the administrator with the confirmed e-mail address, or the sign-in page. */
async function pageFor({ issuer }: Provider, claims: Claims): Promise<string> {
  const refuse = (reason: string) => {
    log("warn", "a sign-in of an administrator was refused", { reason });
    return refused("oidc-person").to;
  };
  // next-auth compared the token with the issuer in the provider's document; this compares it with the configured one.
  if (bareIssuer(claims.iss ?? "") !== bareIssuer(issuer)) return refuse("oidc_other_issuer");
  const email = Email.safeParse(claims.email);
  if (!email.success || claims.email_verified !== true) return refuse("oidc_unverified_address");
  const token = await issueAdminLinkToken(db(), email.data);
  return token === null ? refuse("oidc_unknown_person") : adminPaths.signInLink(token);
}

/** next-auth's options for this flow: it keeps state, PKCE and nonce in cookies and verifies the response. */
function optionsFor(oidc: Provider, decide: (claims: Claims) => Promise<string>): AuthOptions {
  setNextAuthUrl();
  return {
    secret: env().nextauthSecret,
    useSecureCookies: isSecureSite(),
    session: { strategy: "jwt" },
    providers: [providerOf(oidc)],
    callbacks: { signIn: ({ profile }) => decide(profile ?? {}) },
    logger: {
      error: (code, about) => log("warn", "sign-in", { code, reason: causeOf(about) }),
      warn: () => undefined,
      debug: () => undefined,
    },
  };
}

function providerOf({ issuer, clientId, clientSecret }: Provider): OAuthConfig<Claims> {
  return {
    id: "oidc",
    name: "OpenID Connect",
    type: "oauth",
    wellKnown: discoveryDocumentUrl(issuer),
    clientId,
    clientSecret,
    idToken: true,
    checks: ["pkce", "state", "nonce"],
    authorization: { params: { scope: "openid email" } },
    userinfo: {
      // Some providers omit the e-mail address from the token. The address and `email_verified` must have the same source.
      request: async ({ tokens, client }) => {
        // next-auth passes a TokenSet with methods, but its type declares only the fields.
        const set = tokens as Exclude<Parameters<typeof client.userinfo>[0], string>;
        const claims = set.claims();
        if (claims.email !== undefined && claims.email_verified !== undefined) return claims;
        const { email, email_verified } = await client.userinfo(set);
        return { ...claims, email: email ?? "", email_verified };
      },
    },
    profile: ({ sub }) => ({ id: sub ?? "", sessionToken: "" }),
  };
}

const CHECKS = ["state", "pkce.code_verifier", "nonce"] as const;
const cookieName = (name: (typeof CHECKS)[number]) => `${isSecureSite() ? "__Secure-" : ""}next-auth.${name}`;
const isCheck = (cookie: string) => CHECKS.some((name) => cookie.startsWith(`${cookieName(name)}=`));
const networkOf = (request: Request) => clientNetwork(clientAddress(request.headers));

/** The failure in a few words without values: a provider's own text may contain an address. */
function causeOf(about: unknown): string {
  const error = about instanceof Error ? about : Object(about).error;
  if (!(error instanceof Error)) return "unknown";
  if ("code" in error && typeof error.code === "string") return error.code;
  return /^[\w '-]{1,80}/.exec(error.message)?.[0].trim() ?? error.name;
}
