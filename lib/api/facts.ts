/** What is learnt about a request while it is answered: for its log line and for headers of every answer. */
export interface RequestFacts {
  requestId: string;
  /** Path template such as `/api/signals/{symbol}/{tf}`: never the path as sent. */
  route: string;
  keyId?: number;
  subscriptionId?: number;
  code?: string;
  /** How long the request waited by its own wish; its duration in logs and figures is without that. */
  waitedMs?: number;
  /** Rate-limit headers, once the quota was taken. */
  headers?: Record<string, string>;
}

const factsByRequest = new WeakMap<Request, RequestFacts>();

export function openFacts(request: Request, facts: RequestFacts): void {
  factsByRequest.set(request, facts);
}

/** The facts of a request inside `route`. Outside of it a throw-away record, so that verbs can be tried alone. */
export function factsOf(request: Request): RequestFacts {
  return factsByRequest.get(request) ?? { requestId: "none", route: "none" };
}
