import { Attached } from "@/lib/runtime/attached";
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

const factsByRequest = new Attached<Request, RequestFacts>();

export function openFacts(request: Request, facts: RequestFacts): void {
  factsByRequest.set(request, facts);
}

/** The facts of a request inside `route`. Outside of it a throw-away record, so that verbs can be tried alone. */
export function factsOf(request: Request): RequestFacts {
  return factsByRequest.of(request) ?? { requestId: "none", route: "none", startedAt: performance.now() };
}

/** What a write gets in any case, also when its body came slowly. */
const LEAST_MS = 500;

/** What is left of the time in which a write is answered, after the look-up of its key for one. */
export function timeLeftMs(request: Request): number {
  return Math.max(LEAST_MS, factsOf(request).startedAt + ANSWER_WITHIN_MS - performance.now());
}
