import { randomBytes } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { getRequestListener } from "@hono/node-server";
import { db } from "@/db/client";
import { Places } from "@/db/places";
import { writeIgnoredHeader } from "@/db/queries/ignored-header";
import { clientNetwork, loggedNetwork } from "@/lib/access/limits/client-network";
import { localLimiter } from "@/lib/access/limits/rolling-window";
import { addressMatcher, CLIENT_ADDRESS_HEADER, resolveClientAddress } from "@/lib/api/client-address";
import { noteResponseOf } from "@/lib/api/connection";
import { PAGE_ADDRESS_HEADER } from "@/lib/api/page-address";
import { Attached } from "@/lib/runtime/attached";
import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { countCode, countRequest } from "@/lib/runtime/metrics";
import { processWide } from "@/lib/runtime/process-wide";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import { interfaceApp, interfacePath, type PathMatch, type RouteModule } from "./interface-app";
import { parseTheme, publicQuery } from "./mounts";
import { noteResponse } from "./newest-response";
import { answerFailure, sendFailure, sendTooMany } from "./pages/failed-page";
import { KeptPages, sendKeptPage } from "./pages/kept-pages";
import { Pace } from "./pages/pace";
import type { FoundPage } from "./pages/page-finder";
import type { AskedPage, PageMaker } from "./pages/page-maker";
import { isPlainPage } from "./pages/plain-page";
import { isRouterState, ROUTER_STATE_HEADER } from "./pages/router-state";
import { answerConnect, answerUnreadable, headProblem, refusal, sendRefusal, tooManyAhead } from "./refusals";
import { NONCE_HEADER, securityHeaders } from "./security-headers";
import { takeTurn } from "./sent-ahead";

type NodeListener = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface FrontParts {
  mounts: Readonly<Record<string, RouteModule>>;
  pages: PageMaker;
  /** The page or handler of Next at this path, or null when Next has none there. */
  findPage(path: string): FoundPage | null;
  /** The guard of the area that a path stands in; null for a path that anyone may see. */
  guardOf(path: string): PageGuard | null;
}

/**
 * Pages that are made at once, beside the kept ones. More of them would share one process and one pool of connections, and
 * all would come too late together.
 */
const MAKINGS = { places: 16, waiting: 256, waitMs: 2 * SECOND_MS };

/** Kept pages that leave in a second: a third of a processor or so, whatever the crowd; the rest is for those who poll. */
const KEPT_PER_SECOND = 1_500;

/** Where a reader without a session is sent; null lets the reader in. */
export type PageGuard = (headers: Headers, address: string) => Promise<string | null>;

/** One listener for the whole product: the interface directly, everything else by Next. */
export function createFront(parts: FrontParts): Server {
  const app = interfaceApp(parts.mounts);
  const keptPages = new KeptPages(parts.pages);
  const pace = new Pace(KEPT_PER_SECOND);
  const makings = new Places(MAKINGS);
  // decision 153: the path is matched once, before it is known whether the interface or a page answers.
  const matches = new Attached<IncomingMessage, PathMatch | null>();
  const answerInterface = getRequestListener(
    // This server speaks HTTP/1 alone.
    (request, { incoming, outgoing }) => {
      noteResponseOf(request, outgoing as ServerResponse);
      return app.answer(request, matches.of(incoming as IncomingMessage) ?? null);
    },
    {
      overrideGlobalObjects: true,
      // HTTP/1.0 clients send no Host; no answer depends on it.
      hostname: "localhost",
      errorHandler: () => {
        const answer = refusal(new AppError("bad_request"));
        return new Response(answer.body, { status: answer.status, headers: answer.headers });
      },
    },
  );
  const api = (request: IncomingMessage, response: ServerResponse, match: PathMatch | null) => {
    matches.set(request, match);
    void answerInterface(request, response);
  };

  const answer: RequestListener = (request, response) => {
    noteResponse(request.socket, response);
    const turn = takeTurn(request.socket, response);
    if (turn !== "answer") return turn === "refuse" ? sendRefusal(response, tooManyAhead()) : undefined;
    const problem = headProblem(request);
    if (problem) return sendRefusal(response, problem);
    // decision 124: no other protocol is spoken here. Node cannot read further requests from a connection that offered
    // one, so the connection is closed after this response.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    stampClientAddress(request);
    request.url = withoutDots(request.url ?? "/");
    const path = interfacePath(request.url);
    const match = app.match(path);
    if (match !== null) return api(request, response, match);
    const page = parts.findPage(path);
    if (page === null && isInterfaceGround(path, request)) return api(request, response, null);
    if (!isDecodable(path)) return sendRefusal(response, new AppError("bad_request"));
    const plain = isPlainPage(path, page?.template ?? null, request);
    const nonce = secure(path, request, response);
    request.headers[PAGE_ADDRESS_HEADER] = request.url;
    // decision 124: only handlers take forms. Next would treat a form sent to a page as a server action, and this site
    // has none.
    const methods = METHODS[page?.kind ?? "page"];
    if (!methods.includes(request.method ?? ""))
      return sendRefusal(
        response,
        new AppError("method_not_allowed", { headers: { Allow: methods.join(", ") } }),
      );
    const template = page?.template ?? (path.startsWith("/_next/") ? "/_next/*" : "other");
    // A handler guards itself: it is also what signs in and out.
    const guard = page?.kind === "handler" ? null : parts.guardOf(decodeURIComponent(path));
    // Next also knows forms of a page that this server does not (`.rsc`, `.segments/…`). None of them is used here, and
    // in a guarded area Next gets to see only what has a page.
    if (guard !== null && page === null) request.url = NO_PAGE;
    const isKept = plain && page?.kind === "page";
    // Pages with names or a query in their address are many, so that most have to be made.
    const query = isKept ? publicQuery(page.template, request.url) : "";
    const isOneOfFew = isKept && query === "" && page.template === path;
    const wait = isOneOfFew || page?.kind === "handler" ? null : pageQuota(path, request, response);
    if (wait !== null) return sendTooMany(response, wait);
    const isHandler = page?.kind === "handler";
    const asked: AskedPage = {
      page: { template, isUnavailable: false, reader: null },
      isHandler,
      isPlain: plain && !isHandler,
    };
    // The page that says that there is none is one as well; files and handlers are not.
    const isMade = plain || page?.kind === "page";
    const make: NodeListener = (...exchange) => {
      const answerIt = () => parts.pages.answer(...exchange, asked);
      return isMade ? inPlace(makings, exchange[1], answerIt) : answerIt();
    };
    const pages: NodeListener = isKept
      ? async () => {
          await pace.take();
          const address = path + query;
          const kept = await keptPages.get({ template: page.template, address, theme: themeOf(request) });
          if (kept.status >= 500) sendFailure(response, kept.isUnavailable);
          else sendKeptPage(kept, nonce, request, response);
        }
      : make;
    void answerPage(
      asked,
      guard !== null && page !== null ? guarded(guard, pages) : pages,
      request,
      response,
    );
  };
  // A request without Host gets our own JSON error and not Node's bare 400.
  const server = createServer({ requireHostHeader: false }, answer);
  // decision 124: Node handles `Expect: 100-continue` itself. Any other expectation is ignored.
  server.on("checkExpectation", answer);
  answerUnreadable(server);
  answerConnect(server);
  // Longer than the usual 60 s of load balancers, so that the load balancer closes an idle connection first.
  server.keepAliveTimeout = 75_000;
  server.headersTimeout = 15_000;
  server.requestTimeout = MINUTE_MS;
  return server;
}

/** Makes a page once there is a place for it. Rejects with BusyDatabaseError where none comes free in time. */
async function inPlace(makings: Places, response: ServerResponse, make: () => Promise<void>): Promise<void> {
  const leave = makings.take() ?? (await makings.wait());
  // Whoever went meanwhile has been told so, and no second time.
  if (response.destroyed) return leave(false);
  response.once("close", () => leave(false));
  await make();
}

/** Paths under which everything that is not a page answers JSON. */
function isInterfaceGround(path: string, request: IncomingMessage): boolean {
  if (path === "/api" || path.startsWith("/api/") || path === "/webhooks" || path.startsWith("/webhooks/"))
    return true;
  if (path !== "/admin" && !path.startsWith("/admin/")) return false;
  return !/\btext\/html\b/i.test(request.headers.accept ?? "");
}

/**
 * The same address with `.` and `..` in its path resolved once, so that every later step sees one path (decision 124).
 */
function withoutDots(url: string): string {
  if (!/^[^?]*\/(?:\.|%2e)/i.test(url)) return url;
  const at = url.indexOf("?");
  const path = at < 0 ? url : url.slice(0, at);
  const { pathname } = new URL(path.startsWith("/") ? `http://localhost${path}` : path);
  return pathname + url.slice(path.length);
}

/** Whether the path is valid percent-encoding of UTF-8. Next answers 500 to any other (decision 124). */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Sets the client's address, by which limits and logs go. A value that a client sent under this name is overwritten.
 */
function stampClientAddress(request: IncomingMessage): void {
  const forwarded = request.headers["x-forwarded-for"];
  const { address, isIgnored } = resolveClientAddress({
    peer: request.socket.remoteAddress ?? "",
    forwardedFor: Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
    hops: env().trustProxyHops,
    isTrustedPeer: isTrustedProxy,
  });
  if (isIgnored) noteIgnoredHeader();
  request.headers[CLIENT_ADDRESS_HEADER] = address;
  // The interface's adapter reads the raw headers, so the address must be there too, and only once.
  const raw = request.rawHeaders;
  for (let i = raw.length - 2; i >= 0; i -= 2) {
    if (raw[i]?.toLowerCase() === CLIENT_ADDRESS_HEADER) raw.splice(i, 2);
  }
  raw.push(CLIENT_ADDRESS_HEADER, address);
}

/** Whether the address is of a proxy whose headers are believed. */
function isTrustedProxy(address: string): boolean {
  return processWide("trusted-proxies", () => addressMatcher(env().trustProxyFrom))(address);
}

/**
 * Behind a proxy that is not configured all callers look like one and share its limits. That is named once in the log,
 * counted from then on, and noted hourly for the administrator's pages and the doctor.
 */
function noteIgnoredHeader(): void {
  countCode("forwarded_for_ignored");
  const noted = processWide("ignored-header-noted", () => ({ atMs: Number.NEGATIVE_INFINITY }));
  if (performance.now() - noted.atMs > HOUR_MS) {
    noted.atMs = performance.now();
    const written = writeIgnoredHeader(db(), { at: new Date().toISOString() });
    // Without a database it is noted an hour later; the count above goes on.
    written.catch(() => undefined);
  }
  processWide("ignored-header-named", () => {
    log("warn", "X-Forwarded-For came and is not believed: see TRUST_PROXY_HOPS and TRUST_PROXY_FROM");
    return true;
  });
}

/**
 * Sets the security headers. Next reads the policy from the request and puts its nonce on the scripts that it writes
 * (decision 107).
 */
function secure(pathname: string, request: IncomingMessage, response: ServerResponse): string {
  const nonce = randomBytes(16).toString("base64");
  const headers = securityHeaders({ nonce, https: env().baseUrl.startsWith("https:"), pathname });
  request.headers["content-security-policy"] = headers["Content-Security-Policy"];
  request.headers[NONCE_HEADER] = nonce;
  delete request.headers["content-security-policy-report-only"];
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return nonce;
}

/** Pages that Next makes for one address in a minute: more than a person opens, less than a process can make. */
const PAGES_PER_MIN = 600;

/**
 * Counts a page against the address that asks for it. Seconds to wait when it had too many, else null. Files cost little
 * and are not counted, but the page that says that there is none is.
 */
function pageQuota(path: string, request: IncomingMessage, response: ServerResponse): number | null {
  if (path.startsWith("/_next/")) return null;
  const caller = `page:${clientNetwork(addressOf(request))}`;
  if (localLimiter().isExhausted(caller, PAGES_PER_MIN))
    return localLimiter().take(caller, PAGES_PER_MIN).resetSeconds;
  const count = () => localLimiter().take(caller, PAGES_PER_MIN);
  if (!path.includes(".")) count();
  else response.once("close", () => response.statusCode >= 400 && count());
  return null;
}

/** The caller's address, as it was stamped. */
function addressOf(request: IncomingMessage): string {
  const address = request.headers[CLIENT_ADDRESS_HEADER];
  return typeof address === "string" ? address : "unknown";
}

/** The theme that a page is drawn in for this reader. */
function themeOf(request: IncomingMessage): string {
  const [, theme] = /(?:^|;)\s*theme=([^;\s]*)/.exec(request.headers.cookie ?? "") ?? [];
  return parseTheme(theme);
}

/** What Next is asked. It answers 500 to TRACE, which no Request of the fetch standard may have. */
const METHODS: Record<FoundPage["kind"], readonly string[]> = {
  page: ["GET", "HEAD"],
  handler: ["GET", "HEAD", "POST", "OPTIONS"],
};

/** An address that has no page. */
const NO_PAGE = "/-";

/** Makes the page for a reader whom the guard lets in, and sends anyone else to the sign-in before Next sees them. */
function guarded(guard: PageGuard, pages: NodeListener): NodeListener {
  return async (request, response) => {
    const to = await guard(headersOf(request), request.url ?? "/");
    if (to === null) return pages(request, response);
    // Next's router asks for the data of a page. Any answer that is not data makes it load the page as a document.
    if (request.headers.rsc !== undefined) response.writeHead(401, NOT_KEPT).end();
    else response.writeHead(307, { ...NOT_KEPT, Location: to }).end();
  };
}

const NOT_KEPT = { "Cache-Control": "no-store" };

function headersOf(request: IncomingMessage): Headers {
  return new Headers({ cookie: request.headers.cookie ?? "" });
}

async function answerPage(
  { page }: AskedPage,
  pages: NodeListener,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const startedAt = performance.now();
  const network = loggedNetwork(addressOf(request));
  // This site has no server actions and no middleware. A request with their headers can only be an attack on Next, so
  // the headers are removed.
  for (const name of Object.keys(request.headers)) {
    if (name === "next-action" || name.startsWith("x-middleware-")) delete request.headers[name];
  }
  const state = request.headers[ROUTER_STATE_HEADER];
  if (state !== undefined && !(typeof state === "string" && isRouterState(state)))
    delete request.headers[ROUTER_STATE_HEADER];
  response.once("close", () => {
    const ms = Math.round((performance.now() - startedAt) * 100) / 100;
    countRequest(page.template, response.statusCode, ms);
    log("info", "request", {
      method: request.method ?? "",
      route: page.template,
      status: response.statusCode,
      ms,
      network,
      ...(page.reader === "administrator" ? { reader: page.reader } : page.reader),
    });
  });
  try {
    await pages(request, response);
  } catch (error) {
    answerFailure(response, page, error);
  }
}
