import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OPERATIONS } from "@/app/operations.generated";
import { listRoutes } from "@/tests/authorisation/routes";
import type { Dice } from "@/tests/support/dice";
import { HOSTILE_SEGMENTS, HOSTILE_TEXTS } from "./hostile";
import { type FuzzRequest, METHODS, mutateBytes } from "./make-request";

/** Credentials and ids from which requests to pages and forms are drawn. */
export interface BrowserSecrets {
  keys: readonly string[];
  adminSecret: string;
  /** Session cookies: active, ended, forged. */
  cookies: readonly string[];
  /** Ids, most of them small enough to exist as ids of subscriptions, keys, deliveries or mails. */
  ids: readonly number[];
}

const operations = new Set(OPERATIONS.map(({ method, path }) => `${method.toUpperCase()} ${path}`));
/** Pages, forms and files: every route that is not an operation of the OpenAPI document. */
const ROUTES = listRoutes().filter(({ name }) => !operations.has(name));
const NAMES = fieldNames();

/** Names of fields and parameters of pages and forms, as found in the sources. */
function fieldNames(): string[] {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const names = new Set<string>();
  for (const folder of ["app", "lib/admin", "lib/executions", "lib/wire"]) {
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(file)) continue;
      const text = readFileSync(join(root, folder, file), "utf8");
      for (const [, attribute, key] of text.matchAll(/\bname="(\w+)"|^\s+(\w+): (?:z\.|optional)/gm))
        names.add(attribute ?? key ?? "");
    }
  }
  return [...names];
}

const USUAL = [
  "1",
  "7",
  "90",
  "EURUSD",
  "H1",
  "pro",
  "local",
  "utc",
  "on",
  "ROTATE",
  "/portal",
  "/admin/subscribers",
  "2026-11-01",
  "2027-01-01T00:00",
  "ada@fuzz.example",
  "Europe/Kiev",
] as const;
/** Suffixes of an address: the framework's other representations of a page, and odd spellings. */
const ENDINGS = [
  "/",
  "//",
  ".rsc",
  ".txt",
  ".segments/_tree.segment.rsc",
  ".segments/%2e%2e/_full.segment.rsc",
  ";a=1",
  "/_next/data/x.json",
  "%00",
  "%20",
  "/..%2f..%2fadmin",
  ".action",
  "/opengraph-image",
] as const;
const STATIC = [
  "/_next/static/chunks/nothing.js",
  "/_next/static/../../package.json",
  "/_next/image?url=%2Ficon.png&w=64&q=75",
  "/_next/data/build/index.json",
  "/_next/",
  "/_not-found",
  "/_error",
  "/404",
  "/500",
  "/favicon.ico",
  "/robots.txt",
  "/sitemap.xml",
  "/docs/reference/assets/nothing.js",
  "/docs/reference/assets/..%2f..%2fpackage.json",
  "/ea-kit/nothing.mq5",
  "/__nextjs_original-stack-frame",
  "/.well-known/nothing",
] as const;

/** A GET request for each page and file, as the administrator below /admin and otherwise as the subscriber. */
export function requestsForEachPage(cookies: { subscriber: string; administrator: string }): FuzzRequest[] {
  return ROUTES.filter(({ method }) => method === "GET").map(({ template }) => ({
    method: "GET",
    target: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => USUAL_SEGMENTS[name] ?? "1"),
    headers: {
      Accept: "text/html",
      Cookie: template.startsWith("/admin") ? cookies.administrator : cookies.subscriber,
    },
    body: null,
    chunked: false,
  }));
}

const USUAL_SEGMENTS: Readonly<Record<string, string>> = {
  symbol: "EURUSD",
  tf: "H1",
  what: "payments",
  file: "sign-in.html",
  nextauth: "providers",
};

/** Draws a request to a page, form or file, usually an almost valid one. */
export function drawSiteRequest(dice: Dice, secrets: BrowserSecrets): FuzzRequest {
  const route = dice.pick(ROUTES);
  const path = dice.chance(0.06) ? dice.pick(STATIC) : fillIn(route.template, dice, secrets);
  const [place = "", intent = ""] = path.split("?");
  const method = dice.chance(0.9) ? (dice.chance(0.1) ? "HEAD" : route.method) : dice.pick(METHODS);
  const body = method === "POST" || dice.chance(0.03) ? makeForm(dice, secrets) : null;
  return {
    method,
    target: `${dice.chance(0.88) ? place : place + dice.pick(ENDINGS)}${joined(intent, makeQuery(dice))}`,
    headers: makeHeaders(dice, secrets, body !== null),
    body: method === "HEAD" ? null : body,
    chunked: dice.chance(0.15),
  };
}

/** Appends a query to the one that the route itself contains, as forms do. */
function joined(own: string, more: string): string {
  return own === "" ? more : `?${own}${more.replace("?", "&")}`;
}

function fillIn(template: string, dice: Dice, secrets: BrowserSecrets): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (dice.chance(0.25)) return dice.pick(HOSTILE_SEGMENTS);
    if (dice.chance(0.15)) return encodeURIComponent(dice.pick(HOSTILE_TEXTS).toWellFormed()) || "x";
    switch (name) {
      case "symbol":
        return dice.pick(["EURUSD", "btcusd", "%20XAUUSD", "ZZZZZZ"]);
      case "tf":
        return dice.pick(["H1", "h4", "M15", "MN1"]);
      case "what":
        return dice.pick(["subscribers", "executions", "audit", "payments", "signals", "nothing"]);
      case "file":
        return dice.pick(["sign-in.html", "key-issued.html", "nothing.html", "sign-in"]);
      case "nextauth":
        return dice.pick([
          "session",
          "csrf",
          "providers",
          "signin",
          "signout",
          "callback/key",
          "callback/link",
          "error",
        ]);
      default:
        return String(dice.pick(secrets.ids));
    }
  });
}

function makeValue(dice: Dice, secrets: BrowserSecrets): string {
  if (dice.chance(0.4)) return dice.pick(USUAL);
  if (dice.chance(0.2)) return String(dice.pick(secrets.ids));
  if (dice.chance(0.05)) return dice.pick(secrets.keys);
  return dice.pick(HOSTILE_TEXTS).toWellFormed();
}

function makePairs(dice: Dice, secrets: BrowserSecrets | null, max: number): string[] {
  return Array.from({ length: dice.below(max + 1) }, () => {
    const value = secrets
      ? makeValue(dice, secrets)
      : dice.chance(0.5)
        ? dice.pick(USUAL)
        : dice.pick(HOSTILE_TEXTS).toWellFormed();
    return `${dice.pick(NAMES)}=${dice.chance(0.95) ? encodeURIComponent(value) : "%zz%"}`;
  });
}

function makeQuery(dice: Dice): string {
  // Keys are not put into addresses, which a proxy would log.
  const pairs = makePairs(dice, null, 4);
  if (dice.chance(0.1)) pairs.push(`_rsc=${dice.below(1e6).toString(36)}`);
  if (dice.chance(0.03)) pairs.push(dice.pick(["&&=", "%", "=%00", "page[]=1", "x".repeat(4000), "?"]));
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function makeForm(dice: Dice, secrets: BrowserSecrets): Buffer {
  if (dice.chance(0.04)) return Buffer.from("a=".padEnd(70_000, "b"));
  if (dice.chance(0.05))
    return Buffer.from('--x\r\nContent-Disposition: form-data; name="1_$ACTION_REF_1"\r\n\r\n\r\n--x--\r\n');
  const text = makePairs(dice, secrets, 10).join("&");
  return dice.chance(0.1) ? mutateBytes(Buffer.from(text), dice) : Buffer.from(text);
}

function makeHeaders(dice: Dice, secrets: BrowserSecrets, isForm: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    "X-Forwarded-For": `10.${dice.below(256)}.${dice.below(256)}.${dice.below(256)}`,
  };
  const cookies = dice.chance(0.8) ? [dice.pick(secrets.cookies)] : [];
  if (dice.chance(0.1)) cookies.push(dice.pick(secrets.cookies));
  if (dice.chance(0.05))
    cookies.push(dice.pick(["theme=dark", "theme=<script>", "=", ";;", "a".repeat(3000), "theme=%00"]));
  if (cookies.length > 0) headers.Cookie = cookies.join("; ");
  if (isForm)
    headers["Content-Type"] = dice.chance(0.85)
      ? "application/x-www-form-urlencoded"
      : dice.pick(["multipart/form-data; boundary=x", "text/plain", "application/json", "nonsense"]);
  if (dice.chance(0.85)) headers["Sec-Fetch-Site"] = dice.chance(0.95) ? "same-origin" : "cross-site";
  if (dice.chance(0.6)) headers.Accept = "text/html";
  if (dice.chance(0.15)) headers.RSC = "1";
  if (dice.chance(0.05)) headers["Next-Router-Prefetch"] = "1";
  if (dice.chance(0.05))
    headers["Next-Router-Segment-Prefetch"] = dice.pick(["/_tree", "/..", "/_full", "%00"]);
  if (dice.chance(0.05))
    headers["Next-Router-State-Tree"] = dice.pick([
      "[]",
      "%5B%22%22%5D",
      "%zz",
      "{",
      "%5B%22%22%2C%7B%7D%2Cnull%2C%22refetch%22%5D",
    ]);
  if (dice.chance(0.03))
    headers["Next-Action"] = dice.pick(["x", "7f0000000000000000000000000000000000000000"]);
  if (dice.chance(0.03))
    headers["X-Middleware-Subrequest"] = "middleware:middleware:middleware:middleware:middleware";
  if (dice.chance(0.03)) headers["X-Nextjs-Data"] = "1";
  if (dice.chance(0.03)) headers.Range = dice.pick(["bytes=0-1", "bytes=-1", "bytes=9-2", "x"]);
  if (dice.chance(0.03)) headers["If-None-Match"] = dice.pick(["*", '"x"', 'W/"x"']);
  if (dice.chance(0.05)) headers.Origin = dice.pick(["https://elsewhere.example", "null"]);
  if (dice.chance(0.05)) headers["Accept-Encoding"] = dice.pick(["gzip", "br", "identity;q=0", "x"]);
  return headers;
}
