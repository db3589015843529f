import { AttachedProperty } from "@/lib/runtime/attached-property";
import { ANSWER_WITHIN_MS } from "@/lib/runtime/unavailable";

/** Facts collected while a request is answered, for its log line and response headers. */
export interface RequestFacts {
  requestId: string;
  /** Path template such as `/api/signals/{symbol}/{tf}`, never the requested path. */
  route: string;
  /** Start of the request, as a value of `performance.now()`. */
  startedAt: number;
  keyId?: number;
  subscriptionId?: number;
  code?: string;
  /** Time in ms that a long poll waited for a change; excluded from the request's duration in logs and metrics. */
  waitedMs?: number;
  /** Rate-limit headers of the answer, set once the request was counted against its limit. */
  headers?: Record<string, string>;
}

const factsByRequest = new AttachedProperty<Request, RequestFacts>();

/** Attaches the facts to a request, so that `requestFactsOf` finds them. */
export function attachRequestFacts(request: Request, facts: RequestFacts): void {
  factsByRequest.set(request, facts);
}

/**
 * The facts of a request, attached by `route`. For a request outside of `route` it returns a new record with the
 * request id `none`, which nothing else reads.
 */
export function requestFactsOf(request: Request): RequestFacts {
  return factsByRequest.of(request) ?? { requestId: "none", route: "none", startedAt: performance.now() };
}

/** Shortest time in ms that a write gets, even if its body arrived slowly. */
const MIN_MS = 500;

/**
 * Header with the time at which nginx (see `deploy/`) received the request: `t=` and seconds since 1970 with 3
 * decimals.
 */
const CAME_HEADER = "x-request-start";
/** The three seconds in which every write is answered, minus a tenth of a second for the network, in ms. */
const ANSWER_CALLER_WITHIN_MS = 2_900;

/**
 * Time in ms left for answering a write. The look-up of the key, or a first attempt of the proxy at another replica,
 * may have used some of it.
 */
export function timeLeftMs(request: Request): number {
  const leftHereMs = requestFactsOf(request).startedAt + ANSWER_WITHIN_MS - performance.now();
  return Math.max(MIN_MS, Math.min(leftHereMs, ANSWER_CALLER_WITHIN_MS - sinceItCameMs(request)));
}

/**
 * Time in ms since the proxy received a request; 0 if the header is missing or implausible. A client that forges the
 * header only shortens its own time. A header of a proxy whose clock is off by more than three seconds is ignored.
 */
function sinceItCameMs(request: Request): number {
  const [, seconds] = /^t=(\d{10}\.\d{3})$/.exec(request.headers.get(CAME_HEADER) ?? "") ?? [];
  const ms = seconds === undefined ? 0 : Date.now() - Number(seconds) * 1_000;
  return ms > 0 && ms < ANSWER_CALLER_WITHIN_MS ? ms : 0;
}
