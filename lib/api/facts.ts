import { SymbolProperty } from "@/lib/runtime/symbol-property";
import { ANSWER_WITHIN_MS } from "@/lib/runtime/unavailable";

/** What is learnt about a request while it is answered: for its log line and for headers of every answer. */
export interface RequestFacts {
  requestId: string;
  /** Path template such as `/api/signals/{symbol}/{tf}`: never the path as sent. */
  route: string;
  /** By `performance.now()`. */
  startedAt: number;
  keyId?: number;
  subscriptionId?: number;
  code?: string;
  /** How long the request waited by its own wish; its duration in logs and figures is without that. */
  waitedMs?: number;
  /** Rate-limit headers, once the quota was taken. */
  headers?: Record<string, string>;
}

const factsByRequest = new SymbolProperty<Request, RequestFacts>();

export function openFacts(request: Request, facts: RequestFacts): void {
  factsByRequest.set(request, facts);
}

/** The facts of a request inside `route`. Outside of it a throw-away record, so that verbs can be tried alone. */
export function factsOf(request: Request): RequestFacts {
  return factsByRequest.of(request) ?? { requestId: "none", route: "none", startedAt: performance.now() };
}

/** What a write gets in any case, also when its body came slowly. */
const LEAST_MS = 500;

/** nginx in `deploy/` writes here when a request came to it, as `t=` and seconds with milliseconds since 1970. */
const CAME_HEADER = "x-request-start";
/** What is promised to the caller, less a moment for the way. */
const ANSWER_CALLER_WITHIN_MS = 2_900;

/**
 * What is left of the time in which a write is answered: after the look-up of its key for one, and after another instance
 * that could not answer it.
 */
export function timeLeftMs(request: Request): number {
  const leftHereMs = factsOf(request).startedAt + ANSWER_WITHIN_MS - performance.now();
  return Math.max(LEAST_MS, Math.min(leftHereMs, ANSWER_CALLER_WITHIN_MS - sinceItCameMs(request)));
}

/**
 * How long ago the proxy says that a request came; 0 when it says nothing that can be. Anyone may write the header, and
 * shortens only the time of the own request; a proxy whose clock is wrong by more than what is promised is not believed.
 */
function sinceItCameMs(request: Request): number {
  const [, seconds] = /^t=(\d{10}\.\d{3})$/.exec(request.headers.get(CAME_HEADER) ?? "") ?? [];
  const ms = seconds === undefined ? 0 : Date.now() - Number(seconds) * 1_000;
  return ms > 0 && ms < ANSWER_CALLER_WITHIN_MS ? ms : 0;
}
