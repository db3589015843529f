import type { NextApiRequest, NextApiResponse } from "next";
import NextAuth from "next-auth";
import { errorAnswer } from "@/lib/api/answer";
import { readText } from "@/lib/api/request-body";
import { requestIdOf } from "@/lib/api/request-id";
import { paths } from "@/lib/paths";
import { errorFacts, log } from "@/lib/runtime/log";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { AppError, databaseUnavailableError } from "@/lib/wire/errors";
import { redirectWithGet } from "./browser-answer";
import { nextAuthOptions } from "./next-auth-options";
import { cookiesOf, isSecureSite, sessionCookieName } from "./session-cookie";

export interface NextAuthAnswer {
  /** Values for `Set-Cookie`. */
  cookies: string[];
  /** next-auth's redirect. */
  location: string | null;
}

/**
 * Runs an action of next-auth for a form of this site, so that signing in and out works without scripts. The form's
 * origin was checked before; next-auth's own CSRF token is fetched and sent back here.
 */
export async function callNextAuth(
  request: Request,
  action: "callback" | "signout",
  fields: Record<string, string>,
  provider?: string,
): Promise<NextAuthAnswer> {
  const nextauth = provider === undefined ? [action] : [action, provider];
  const answer = await postToNextAuth(request, nextauth, fields);
  // The browser needs only the session cookie: the others belong to next-auth's own forms.
  return {
    cookies: answer.cookies.filter((cookie) => cookie.startsWith(`${sessionCookieName()}=`)),
    location: answer.location,
  };
}

/** Posts to an address of next-auth with the CSRF token that it requires. */
export async function postToNextAuth(
  request: Request,
  nextauth: string[],
  fields: Record<string, string>,
  options = nextAuthOptions(),
): Promise<NextAuthAnswer> {
  const csrf = await runNextAuth(
    { method: "GET", nextauth: ["csrf"], headers: {}, cookies: {}, body: {} },
    options,
  );
  const csrfCookie = cookieOf(csrf.cookies, csrfCookieName());
  const [csrfToken = ""] = csrfCookie.value.split("|");
  const session = cookiesOf(request.headers)(sessionCookieName());
  const call = {
    method: "POST",
    nextauth,
    headers: Object.fromEntries(request.headers),
    cookies: {
      [csrfCookie.name]: csrfCookie.value,
      ...(session === undefined ? {} : { [sessionCookieName()]: session }),
    },
    body: { ...fields, csrfToken },
  };
  return runNextAuth(call, options);
}

/** Addresses of next-auth that this site serves with GET. */
const READS = ["csrf", "session", "providers"];
/** Addresses at which next-auth would render its own pages. This site has its own pages for them. */
const PAGES = ["signin", "signout", "error", "verify-request"];
/** Addresses of next-auth that this site serves with POST. */
const WRITES = ["signin/link", "signin/key", "callback/link", "callback/key", "signout"];

/**
 * Answers a request at one of next-auth's addresses. Of the cookies, next-auth gets only its own two; of the body only
 * the text fields; of the query nothing. It trusts other input too much: an unparsable address, a body of another
 * shape or a visitor's log entry would cause a 500 or end up in the log.
 */
export async function answerNextAuth(request: Request, nextauth: string[]): Promise<Response> {
  const requestId = requestIdOf(request.headers);
  try {
    const answer = await answerAction(request, nextauth);
    answer.headers.set("X-Request-Id", requestId);
    return answer;
  } catch (error) {
    const known = error instanceof AppError ? error : failureOf(error, requestId);
    const { status, headers, body } = errorAnswer(known, requestId);
    return new Response(body, { status, headers: { ...headers, "X-Request-Id": requestId } });
  }
}

async function answerAction(request: Request, nextauth: string[]): Promise<Response> {
  const action = nextauth.join("/");
  const isWrite = request.method === "POST";
  if (!isWrite && PAGES.includes(action)) return redirectWithGet(paths.login());
  if (!(isWrite ? WRITES : READS).includes(action)) {
    const isKnown = [...READS, ...PAGES, ...WRITES].includes(action);
    if (!isKnown) throw new AppError("not_found");
    throw new AppError("method_not_allowed", { headers: { Allow: isWrite ? "GET, HEAD" : "POST" } });
  }
  const cookie = cookiesOf(request.headers);
  const answer = await runNextAuth({
    // HEAD is GET without the body, which the server leaves out.
    method: isWrite ? "POST" : "GET",
    nextauth,
    headers: Object.fromEntries(request.headers),
    cookies: Object.fromEntries(
      [sessionCookieName(), csrfCookieName()].flatMap((name) => {
        const value = cookie(name);
        return value === undefined ? [] : [[name, decoded(value)]];
      }),
    ),
    body: isWrite ? await textFields(request) : {},
  });
  const headers = new Headers({ "Cache-Control": "no-store" });
  for (const value of answer.cookies) headers.append("Set-Cookie", value);
  if (answer.location !== null) headers.set("Location", answer.location);
  if (answer.body === null) return new Response(null, { status: answer.status, headers });
  headers.set("Content-Type", "application/json; charset=utf-8");
  return new Response(JSON.stringify(answer.body), { status: answer.status, headers });
}

/** The text fields of a form or JSON body, without `callbackUrl`, so that a request cannot choose the redirect. */
async function textFields(request: Request): Promise<Record<string, string>> {
  const text = await readText(request);
  const isJson = /\bjson\b/.test(request.headers.get("content-type") ?? "");
  const fields = isJson ? parsedObject(text) : Object.fromEntries(new URLSearchParams(text));
  return Object.fromEntries(
    Object.entries(fields).filter(
      (field): field is [string, string] => typeof field[1] === "string" && field[0] !== "callbackUrl",
    ),
  );
}

function parsedObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Refused below, like any other text that is not an object.
  }
  throw new AppError("bad_request", { detail: "The body is not a JSON object." });
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function failureOf(error: unknown, requestId: string): AppError {
  if (isDatabaseUnavailable(error)) return databaseUnavailableError();
  log("error", "next-auth failed", { requestId, error: errorFacts(error) });
  return new AppError("internal_error");
}

function csrfCookieName(): string {
  return `${isSecureSite() ? "__Host-" : ""}next-auth.csrf-token`;
}

interface Call {
  method: string;
  nextauth: string[];
  headers: Record<string, string>;
  cookies: Record<string, string>;
  body: Record<string, string>;
  query?: Record<string, string>;
}

/** Response of next-auth. */
interface Written extends NextAuthAnswer {
  status: number;
  /** null: no body. */
  body: unknown;
}

/** Runs next-auth on a request with these parts. */
export async function runNextAuth(call: Call, options = nextAuthOptions()): Promise<Written> {
  const headers = new Map<string, string | string[]>();
  let status = 200;
  let body: unknown = null;
  const keep = (value: unknown) => {
    body = value ?? null;
  };
  const response = {
    status: (code: number) => {
      status = code;
      return response;
    },
    setHeader: (name: string, value: string | string[]) => {
      headers.set(name.toLowerCase(), value);
      return response;
    },
    getHeader: (name: string) => headers.get(name.toLowerCase()),
    end: () => undefined,
    json: keep,
    send: keep,
  };
  const { nextauth, query, ...rest } = call;
  // next-auth reads only these properties of Node's request and response.
  const incoming = { ...rest, query: { ...query, nextauth } } as unknown as NextApiRequest;
  const outgoing = response as unknown as NextApiResponse;
  await NextAuth(incoming, outgoing, options);
  const cookies = headers.get("set-cookie") ?? [];
  const location = headers.get("location");
  return {
    status,
    body,
    cookies: Array.isArray(cookies) ? cookies : [cookies],
    location: typeof location === "string" ? location : null,
  };
}

function cookieOf(cookies: string[], name: string): { name: string; value: string } {
  const found = cookies.find((cookie) => cookie.startsWith(`${name}=`));
  if (!found) throw new Error("next-auth returned no CSRF token");
  const [pair = ""] = found.split(";");
  return { name, value: decodeURIComponent(pair.slice(name.length + 1)) };
}
