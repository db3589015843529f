import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** The user signed in at the provider, with the provider's claims. */
export interface ProviderPerson {
  email?: unknown;
  email_verified?: unknown;
}

/** Faults of a provider, or of an attacker in between. */
export interface ProviderFaults {
  /** Overrides claims of the ID tokens. */
  claims?: Record<string, unknown>;
  /** Signs the ID token with an unpublished key, with the client secret, or not at all. */
  signedBy?: "another key" | "the secret" | "nobody";
  /** The ID token contains no e-mail address; only the userinfo endpoint returns it. */
  isThin?: boolean;
  /** Overrides claims of the userinfo endpoint's answers. */
  userinfo?: Record<string, unknown>;
  /** The error that the authorization endpoint returns instead of a code, as when the user declines. */
  refuses?: string;
  /** An endpoint that answers 500. */
  broken?: "discovery" | "token" | "jwks";
  /** An endpoint that never answers. */
  hangs?: "discovery" | "token";
  /** The issuer named in the discovery document and the ID tokens, instead of the provider's own address. */
  issuer?: string;
}

export interface OidcProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The user signed in at the provider. Without an `email` the provider asks for one on its sign-in page. */
  person: ProviderPerson;
  faults: ProviderFaults;
  /** Paths of all requests that the provider received. */
  asked: string[];
  close(): Promise<void>;
}

interface Grant {
  redirectUri: string;
  challenge: string;
  nonce: string;
  person: ProviderPerson;
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };
const escapeHtml = (text: string) => text.replaceAll(/[&<"]/g, (character) => ENTITIES[character] ?? "");
const newKeys = () => generateKeyPairSync("rsa", { modulusLength: 2_048 });

/**
 * Starts an OpenID Connect provider on loopback: authorization code flow with PKCE (OpenID Connect Core 1.0 and
 * Discovery 1.0, RFC 6749, RFC 7636), including the error answers. `redirectUri` returns the registered address.
 */
export async function startOidcProvider(redirectUri: () => string): Promise<OidcProvider> {
  const [own, other] = [newKeys(), newKeys()];
  const grants = new Map<string, Grant>();
  const bearers = new Map<string, ProviderPerson>();
  const asked: string[] = [];
  const provider: OidcProvider = {
    issuer: "",
    clientId: "signals",
    clientSecret: randomBytes(24).toString("base64url"),
    person: {},
    faults: {},
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };

  const issuerNamed = () => provider.faults.issuer ?? provider.issuer;

  const discovery = () => ({
    issuer: issuerNamed(),
    authorization_endpoint: `${provider.issuer}/authorize`,
    token_endpoint: `${provider.issuer}/token`,
    userinfo_endpoint: `${provider.issuer}/userinfo`,
    jwks_uri: `${provider.issuer}/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["client_secret_basic"],
  });

  /** The address to which the authorization endpoint redirects. Throws for an unknown client or redirect address. */
  const authorize = (query: URLSearchParams, person: ProviderPerson): string => {
    const told = (name: string) => query.get(name) ?? "";
    // RFC 6749, 4.1.2.1: no redirect to an unregistered client or address.
    if (told("client_id") !== provider.clientId || told("redirect_uri") !== redirectUri())
      throw new Error("unknown client or address");
    const back = new URL(told("redirect_uri"));
    if (told("state") !== "") back.searchParams.set("state", told("state"));
    const isAsked =
      told("response_type") === "code" &&
      told("scope").split(" ").includes("openid") &&
      told("scope").split(" ").includes("email") &&
      told("code_challenge_method") === "S256" &&
      told("code_challenge") !== "";
    const error = isAsked ? provider.faults.refuses : "invalid_request";
    if (error !== undefined) {
      back.searchParams.set("error", error);
      back.searchParams.set("error_description", `declined by ${String(person.email)}`);
      return back.href;
    }
    const code = randomBytes(16).toString("base64url");
    grants.set(code, {
      redirectUri: told("redirect_uri"),
      challenge: told("code_challenge"),
      nonce: told("nonce"),
      person,
    });
    back.searchParams.set("code", code);
    return back.href;
  };

  const token = (authorization: string, form: URLSearchParams): { status: number; body: object } => {
    const [id = "", secret = ""] = Buffer.from(authorization.replace(/^Basic /, ""), "base64")
      .toString()
      .split(":")
      .map(decodeURIComponent);
    if (id !== provider.clientId || secret !== provider.clientSecret)
      return { status: 401, body: { error: "invalid_client" } };
    const code = form.get("code") ?? "";
    const grant = grants.get(code);
    // A code works once.
    grants.delete(code);
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (
      form.get("grant_type") !== "authorization_code" ||
      grant === undefined ||
      grant.redirectUri !== form.get("redirect_uri") ||
      grant.challenge !== verifier
    )
      return { status: 400, body: { error: "invalid_grant" } };
    const bearer = randomBytes(16).toString("base64url");
    bearers.set(bearer, grant.person);
    return {
      status: 200,
      body: { access_token: bearer, token_type: "Bearer", expires_in: 300, id_token: idToken(grant) },
    };
  };

  const idToken = ({ nonce, person }: Grant): string => {
    const { claims, signedBy, isThin } = provider.faults;
    const now = Math.floor(Date.now() / 1_000);
    const body = base64url({
      iss: issuerNamed(),
      sub: "248289761001",
      aud: provider.clientId,
      iat: now,
      exp: now + 300,
      nonce,
      ...(isThin ? {} : person),
      ...claims,
    });
    if (signedBy === "nobody") return `${base64url({ alg: "none" })}.${body}.`;
    if (signedBy === "the secret") {
      const head = base64url({ alg: "HS256" });
      const mac = createHmac("sha256", provider.clientSecret).update(`${head}.${body}`);
      return `${head}.${body}.${mac.digest("base64url")}`;
    }
    const head = base64url({ alg: "RS256", kid: "one", typ: "JWT" });
    const { privateKey } = signedBy === "another key" ? other : own;
    const signature = sign("sha256", Buffer.from(`${head}.${body}`), privateKey);
    return `${head}.${body}.${signature.toString("base64url")}`;
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", provider.issuer);
    asked.push(pathname);
    const answer = (status: number, body: object) => {
      response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store" });
      response.end(JSON.stringify(body));
    };
    const isAt = (endpoint: string | undefined) => endpoint !== undefined && PATHS[endpoint] === pathname;
    if (isAt(provider.faults.hangs)) return;
    if (isAt(provider.faults.broken)) return answer(500, { error: "server_error" });
    if (pathname === PATHS.discovery) return answer(200, discovery());
    if (pathname === PATHS.jwks) {
      const keys = [{ ...own.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }];
      return answer(200, { keys });
    }
    if (pathname === PATHS.token && request.method === "POST") {
      const { status, body } = token(
        request.headers.authorization ?? "",
        new URLSearchParams(await bodyOf(request)),
      );
      return answer(status, body);
    }
    if (pathname === PATHS.userinfo) {
      const person = bearers.get((request.headers.authorization ?? "").replace("Bearer ", ""));
      const said = { sub: "248289761001", ...person, ...provider.faults.userinfo };
      return person ? answer(200, said) : answer(401, { error: "invalid_token" });
    }
    if (pathname !== PATHS.authorize) return answer(404, {});
    const query = request.method === "POST" ? new URLSearchParams(await bodyOf(request)) : searchParams;
    const typed = query.get("typed_email");
    const person = typed === null ? provider.person : { email: typed, email_verified: true };
    if (person.email === undefined) {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(signInPage(query));
      return;
    }
    try {
      response.writeHead(302, { Location: authorize(query, person) }).end();
    } catch (error) {
      answer(400, { error: String(error) });
    }
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // The address of a listening TCP server is an object.
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}

const PATHS: Readonly<Record<string, string>> = {
  discovery: "/.well-known/openid-configuration",
  authorize: "/authorize",
  token: "/token",
  userinfo: "/userinfo",
  jwks: "/jwks",
};

/** HTML form that asks for an e-mail address and posts it, with the request's parameters, to the authorization endpoint. */
function signInPage(query: URLSearchParams): string {
  const fields = [...query].map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<!doctype html><title>Identity provider</title><form method="post" action="/authorize">${fields.join("")}<label>Work e-mail <input name="typed_email"></label><button>Continue</button></form>`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}
