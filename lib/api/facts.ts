import { SymbolProperty } from "@/lib/runtime/symbol-property";
import { ANSWER_WITHIN_MS } from "@/lib/runtime/unavailable";

/** Facts collected while a request is answered, for its log line and headers. */
export interface RequestFacts {
  requestId: string;
  /** Path template such as `/api/signals/{symbol}/{tf}`, never the requested path. */
  route: string;
  /** Start of the request, as a value of `performance.now()`. */
  startedAt: number;
  keyId?: number;
  subscriptionId?: number;
  code?: string;
  /** Time that the request waited on purpose (long poll); excluded from its duration in logs and metrics. */
  waitedMs?: number;
  /** Rate-limit headers, set once the quota was taken. */
  headers?: Record<string, string>;
}

const factsByRequest = new SymbolProperty<Request, RequestFacts>();

/** Attaches the facts to a request, so that `factsOf` finds them. */
export function attachFacts(request: Request, facts: RequestFacts): void {
  factsByRequest.set(request, facts);
}

/** The facts of a request inside `route`. Outside of it a throw-away record, so that verbs can be tested alone. */
export function factsOf(request: Request): RequestFacts {
  return factsByRequest.of(request) ?? { requestId: "none", route: "none", startedAt: performance.now() };
}

/** Shortest time that is left to a write, even if its body arrived slowly. */
const MIN_MS = 500;

/** Header with the time at which nginx (`deploy/`) received the request: `t=` and seconds since 1970 with 3 decimals. */
const CAME_HEADER = "x-request-start";
/** The promised three seconds, minus a moment for the network. */
const ANSWER_CALLER_WITHIN_MS = 2_900;

/**
 * Time left for answering a write. The look-up of the key, or a first attempt at another replica, may have used
 * some of it.
 */
export function timeLeftMs(request: Request): number {
  const leftHereMs = factsOf(request).startedAt + ANSWER_WITHIN_MS - performance.now();
  return Math.max(MIN_MS, Math.min(leftHereMs, ANSWER_CALLER_WITHIN_MS - sinceItCameMs(request)));
}

/**
 * Time since a request arrived at the proxy; 0 if the header is missing or implausible. A client that forges it only
 * shortens its own time; a proxy whose clock is off by more than the limit is ignored.
 */
function sinceItCameMs(request: Request): number {
  const [, seconds] = /^t=(\d{10}\.\d{3})$/.exec(request.headers.get(CAME_HEADER) ?? "") ?? [];
  const ms = seconds === undefined ? 0 : Date.now() - Number(seconds) * 1_000;
  return ms > 0 && ms < ANSWER_CALLER_WITHIN_MS ? ms : 0;
}
