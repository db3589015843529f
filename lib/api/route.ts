import { errorFacts, log } from "@/lib/runtime/log";
import { recordRequestMetrics } from "@/lib/runtime/metrics";
import { isDatabaseUnavailable } from "@/lib/runtime/unavailable";
import { noteRequest } from "@/lib/subscribers/recent-requests";
import { AppError, databaseUnavailableError } from "@/lib/wire/errors";
import { type Answer, answerSecurityHeaders, errorAnswer } from "./answer";
import { attachRequestFacts, type RequestFacts } from "./request-facts";
import { requestIdOf } from "./request-id";

/** The second argument of a handler, as Next passes it, with the path template that the HTTP server matched. */
export interface RouteContext<P> {
  params: Promise<P>;
  template?: string;
}

export type RouteHandler<P = Record<string, string>> = (
  request: Request,
  context: RouteContext<P>,
) => Promise<Response>;

export interface RouteOptions {
  /** Lets pages of other sites read the answer (CORS). Only for answers that need no credentials. */
  anyOrigin?: boolean;
}

/**
 * Wraps a handler: assigns the request id and writes the request's log line. A thrown AppError becomes its JSON, an
 * unavailable database 503, and any other error a 500 that is logged and reveals nothing.
 */
export function route<P = Record<string, never>>(
  handler: (request: Request, params: P) => Promise<Answer> | Answer,
  options: RouteOptions = {},
): RouteHandler<P> {
  return async (request, context) => {
    const startedAt = performance.now();
    const facts: RequestFacts = {
      requestId: requestIdOf(request.headers),
      route: context.template ?? "/",
      startedAt,
    };
    attachRequestFacts(request, facts);
    let answer: Answer;
    try {
      answer = await handler(request, await context.params);
    } catch (error) {
      answer = answerToError(error, facts);
    }
    // Object.assign, because spreading three objects with this many names into one literal takes ten times as long.
    const headers: Record<string, string> = Object.assign(
      {},
      answer.headers,
      facts.headers,
      answerSecurityHeaders(),
    );
    headers["X-Request-Id"] = facts.requestId;
    if (options.anyOrigin) headers["Access-Control-Allow-Origin"] = "*";
    const { status, body } = answer;
    const { method } = request;
    const tookMs = performance.now() - startedAt - (facts.waitedMs ?? 0);
    logRequest(method, status, facts, tookMs);
    return new Response(body, { status, headers });
  };
}

function answerToError(error: unknown, facts: RequestFacts): Answer {
  const known = error instanceof AppError ? error : translate(error, facts);
  facts.code = known.code;
  return errorAnswer(known, facts.requestId);
}

function translate(error: unknown, facts: RequestFacts): AppError {
  if (isDatabaseUnavailable(error)) {
    // Without the stack: in an outage this is logged for every request.
    const { name, code } = errorFacts(error);
    log("warn", "the database was unavailable", {
      requestId: facts.requestId,
      route: facts.route,
      error: { name, ...(code === undefined ? {} : { code }) },
    });
    return databaseUnavailableError();
  }
  log("error", "a handler failed", {
    requestId: facts.requestId,
    route: facts.route,
    error: errorFacts(error),
  });
  return new AppError("internal_error");
}

function logRequest(method: string, status: number, facts: RequestFacts, tookMs: number): void {
  const ms = Math.round(tookMs * 100) / 100;
  recordRequestMetrics(facts.route, status, ms, facts.code);
  const { requestId, route, subscriptionId, code } = facts;
  if (subscriptionId !== undefined)
    noteRequest(subscriptionId, Date.now(), { method, route, status, ms, code, requestId });
  log("info", "request", {
    requestId: facts.requestId,
    method,
    route: facts.route,
    status,
    ms,
    code: facts.code,
    keyId: facts.keyId,
    subscriptionId: facts.subscriptionId,
  });
}
