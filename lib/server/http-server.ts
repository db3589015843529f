import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { clientNetwork, loggedNetwork } from "@/lib/access/limits/client-network";
import { localLimiter } from "@/lib/access/limits/rolling-window";
import { CLIENT_ADDRESS_HEADER } from "@/lib/api/client-address";
import { rememberMessage } from "@/lib/api/connection";
import { errorFacts, log } from "@/lib/runtime/log";
import { recordRequestMetrics } from "@/lib/runtime/metrics";
import { MINUTE_MS, SECOND_MS } from "@/lib/time";
import { AppError } from "@/lib/wire/errors";
import { apiApp, normalizedPath, type RouteModule } from "./api-app";
import { callerAddress } from "./caller-address";
import { errorResponse, hasWrongHost, installMalformedRequestHandler, sendError } from "./http-errors";
import { cacheableQuery, hasFixedAddress, parseTheme } from "./mounts";
import { sendCachedPage } from "./pages/cached-page";
import { sendFailure, sendTooMany } from "./pages/failed-page";
import { PageCache, PageFailedError } from "./pages/page-cache";
import type { PageClient } from "./pages/page-client";
import type { FoundPage } from "./pages/page-finder";
import { isPlainPage, MISSING_PAGE_ADDRESS } from "./pages/plain-page";
import { isRouterState, ROUTER_STATE_HEADER } from "./pages/router-state";
import { MAX_PIPELINED, RequestPipeline } from "./request-pipeline";
import { decodedPath, parseRequestTarget } from "./request-target";
import { answerTooLarge } from "./too-large";

/**
 * Limit per network and minute of requests to pages and handlers of Next: more than a person sends. Files, unknown
 * addresses and plain pages at fixed addresses do not count.
 */
const PAGES_PER_MIN = 600;
/**
 * Time without traffic, in ms, after which a connection is closed if it has no request in progress, or if its client
 * does not read the response.
 */
const CLIENT_IDLE_MS = 30 * SECOND_MS;

export interface HttpServerParts {
  mounts: Readonly<Record<string, RouteModule>>;
  pages: PageClient;
  /** Next's page or handler at this path, or null. */
  findPage(path: string): FoundPage | null;
  isFile(path: string): boolean;
}

export interface HttpServer {
  server: Server;
  pipeline: RequestPipeline;
}

/**
 * The HTTP server. It answers API requests, sends plain pages from its cache, and proxies the rest to the page
 * process.
 */
export function createHttpServer({ mounts, pages, findPage, isFile }: HttpServerParts): HttpServer {
  const app = apiApp(mounts);
  const cache = new PageCache(pages);
  const answerInterface = getRequestListener(
    async (request, { incoming, outgoing }) => {
      // The server speaks HTTP/1 only, so this is a ServerResponse.
      rememberMessage(request, outgoing as ServerResponse);
      request.headers.set(CLIENT_ADDRESS_HEADER, callerAddress(incoming as IncomingMessage));
      const answer = await app.fetch(request);
      return answer.status === 413 ? answerTooLarge(answer, request) : answer;
    },
    {
      overrideGlobalObjects: true,
      // HTTP/1.0 clients send no Host; no response depends on it.
      hostname: "localhost",
      errorHandler: () => {
        const answer = errorResponse(new AppError("bad_request"));
        return new Response(answer.body, { status: answer.status, headers: answer.headers });
      },
    },
  );

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = parseRequestTarget(request.url ?? "/");
    if (target === null || hasWrongHost(request)) return sendError(response, new AppError("bad_request"));
    // Node cannot read further requests from a connection that offered another protocol.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    request.url = target;
    const path = normalizedPath(target);
    if (app.match(path) !== null) return answerInterface(request, response);
    const found = pageAt(path);
    if (found === undefined) return sendError(response, new AppError("bad_request"));
    if ((found === null || isForUnknown(found)) && isInterfaceGround(path, request))
      return answerInterface(request, response);
    await answerPage(found, path, request, response);
  };

  /** Next's page at a path; undefined: the path is not valid UTF-8. Variants of a page for Next's router are not pages. */
  const pageAt = (path: string): FoundPage | null | undefined => {
    // Next answers 500 to a path that is not valid UTF-8.
    const text = decodedPath(path);
    if (text === null) return undefined;
    if (isFile(text)) return { template: "file", kind: "file" };
    return /\.rsc$|\.segments\//.test(text) ? null : findPage(path);
  };

  const answerPage = async (
    found: FoundPage | null,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const kind = found?.kind ?? "page";
    if (!METHODS[kind].includes(request.method ?? "")) return refuseMethod(response, METHODS[kind]);
    const address = callerAddress(request);
    const template = found?.template ?? "other";
    const isPlain = found === null || isPlainPage(path, found);
    const query = isPlain ? cacheableQuery(template, request.url ?? "") : "";
    // A plain page at a fixed address is rendered at most every three seconds for each theme, so it does not count
    // towards the limit.
    const isFree =
      kind === "file" || found === null || (isPlain && query === "" && hasFixedAddress(template, path));
    const waitSeconds = isFree ? null : takePage(address);
    if (waitSeconds !== null) return sendTooMany(request, response, waitSeconds);
    const startedAt = performance.now();
    if (isPlain) await sendPlain(found === null ? MISSING_PAGE_ADDRESS : path + query, request, response);
    else {
      stampForPages(request, path, address);
      const missing = () => sendPlain(MISSING_PAGE_ADDRESS, request, response);
      await pages.proxy(
        request,
        response,
        kind === "page" ? { network: clientNetwork(address), missing } : null,
      );
    }
    const ms = Math.round((performance.now() - startedAt) * 100) / 100;
    recordRequestMetrics(template, response.statusCode, ms);
    // Other responses are logged by the page process.
    if (isPlain)
      log("info", "request", {
        method: request.method ?? "",
        route: template,
        status: response.statusCode,
        ms,
        network: loggedNetwork(address),
      });
  };

  const sendPlain = async (address: string, request: IncomingMessage, response: ServerResponse) => {
    try {
      const theme = themeOf(request);
      const page = await cache.get({ address, theme });
      // Next's own document for a missing page is empty until its scripts have run.
      const shown = page.status === 404 ? await cache.get({ address: MISSING_PAGE_ADDRESS, theme }) : page;
      sendCachedPage(shown, request, response);
    } catch (error) {
      sendFailure(request, response, !(error instanceof PageFailedError) || error.isUnavailable);
    }
  };

  const pipeline = new RequestPipeline(
    (request, response) => void answer(request, response).catch((error) => last(request, response, error)),
    (_request, response) => sendError(response, tooManyPipelined()),
  );
  // A request without Host gets this service's JSON error and not Node's bare 400.
  const server = createServer({ requireHostHeader: false, keepAlive: true }, pipeline.take);
  // Answers a client that half-closes the connection after its request, as `nc -N` does. Node's types lack the
  // option.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node handles `Expect: 100-continue` itself. Any other expectation is ignored.
  server.on("checkExpectation", pipeline.take);
  installMalformedRequestHandler(server, pipeline);
  // Longer than the usual 60 s of load balancers, so that the load balancer closes an idle connection first.
  server.keepAliveTimeout = 75_000;
  server.headersTimeout = 15_000;
  server.requestTimeout = MINUTE_MS;
  // The event `timeout` comes after a time without traffic. The listener spares a request in progress, such as a long poll.
  server.timeout = CLIENT_IDLE_MS;
  server.on("timeout", (socket) => {
    if (socket.writableLength > 0 || pipeline.current(socket) === null) socket.destroy();
  });
  return { server, pipeline };
}

/** Methods that are passed to Next. Next answers 500 to TRACE, and treats a form posted to a page as a server action. */
const METHODS: Record<FoundPage["kind"], readonly string[]> = {
  page: ["GET", "HEAD"],
  file: ["GET", "HEAD"],
  handler: ["GET", "HEAD", "POST", "OPTIONS"],
};

function refuseMethod(response: ServerResponse, methods: readonly string[]): void {
  const headers = { Allow: methods.join(", ") };
  sendError(response, new AppError("method_not_allowed", { headers }));
}

/** Handles every error that nothing else has caught, because no request may end the process. */
function last(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  log("error", "a request failed", { error: errorFacts(error) });
  if (response.headersSent) response.destroy();
  else sendFailure(request, response, false);
}

const tooManyPipelined = (): AppError =>
  new AppError("rate_limited", {
    detail: `More than ${MAX_PIPELINED} requests of this connection are waiting. Read their answers first, or open more connections.`,
    headers: { "Retry-After": "1" },
  });

/** Whether the page is the catch-all of its area for unknown addresses. */
const isForUnknown = ({ template }: FoundPage): boolean => template.endsWith("/[...rest]");

/** Whether an unknown path belongs to the API, so that it is answered in JSON. */
function isInterfaceGround(path: string, request: IncomingMessage): boolean {
  if (/^\/(?:api|webhooks)(?:\/|$)/.test(path)) return true;
  return /^\/admin(?:\/|$)/.test(path) && !/\btext\/html\b/i.test(request.headers.accept ?? "");
}

/** Counts a page request of the caller's network. Returns the seconds to wait if the limit is reached, else null. */
function takePage(address: string): number | null {
  const { allowed, resetSeconds } = localLimiter().take(`page:${clientNetwork(address)}`, PAGES_PER_MIN);
  return allowed ? null : resetSeconds;
}

/**
 * Prepares a request for the page process: normalises the path, sets this service's headers, and removes headers that could
 * be used to attack Next.
 */
function stampForPages(request: IncomingMessage, path: string, address: string): void {
  const url = request.url ?? "";
  request.url = url.includes("?") ? path + url.slice(url.indexOf("?")) : path;
  const { headers } = request;
  headers[CLIENT_ADDRESS_HEADER] = address;
  // This site uses neither server actions nor middleware, so their headers are removed.
  for (const name of Object.keys(headers))
    if (name === "next-action" || name.startsWith("x-middleware-")) delete headers[name];
  const state = headers[ROUTER_STATE_HEADER];
  if (state !== undefined && !(typeof state === "string" && isRouterState(state)))
    delete headers[ROUTER_STATE_HEADER];
}

/** The colour theme of this visitor. */
function themeOf(request: IncomingMessage): string {
  const [, theme] = /(?:^|;)\s*theme=([^;\s]*)/.exec(request.headers.cookie ?? "") ?? [];
  return parseTheme(theme);
}
