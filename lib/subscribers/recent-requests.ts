import { processWide } from "@/lib/runtime/process-wide";
import { inEachProcess } from "@/lib/runtime/processes";
import { RecentMap } from "@/lib/runtime/recent-map";

/** One answered request of a subscription: path, status and time, never its body or parameters. */
export interface RecentRequest {
  at: Date;
  method: string;
  /** Path template. */
  route: string;
  status: number;
  ms: number;
  code: string | undefined;
  requestId: string;
}

const KEPT_PER_SUBSCRIPTION = 20;
const KEPT_SUBSCRIPTIONS = 10_000;

/** What many requests have in common. There are few of these, and each is kept once. */
type Kind = Pick<RecentRequest, "method" | "route" | "status" | "code">;

/**
 * The requests of one subscription. A process keeps some hundred thousand requests: as objects of their own they would take
 * most of its memory, and the collector would carry each of them from the young to the old.
 */
interface Ring {
  /** Two for each request: when it was answered, in milliseconds of the epoch, and how many milliseconds it took. */
  times: Float64Array;
  kinds: Kind[];
  requestIds: string[];
  next: number;
}

const remembered = () =>
  processWide("recent-requests", () => ({
    since: new Date(Date.now() - process.uptime() * 1_000),
    bySubscription: new RecentMap<number, Ring>(KEPT_SUBSCRIPTIONS),
    kindsByRoute: new Map<string, Kind[]>(),
  }));

/**
 * Remembers a request of a subscription that was answered at `atMs` of the epoch: in this process, the last 20 of each
 * subscription, at constant cost (decision 89).
 */
export function noteRequest(subscriptionId: number, atMs: number, request: Omit<RecentRequest, "at">): void {
  const { bySubscription } = remembered();
  let ring = bySubscription.get(subscriptionId);
  if (!ring) {
    ring = { times: new Float64Array(2 * KEPT_PER_SUBSCRIPTION), kinds: [], requestIds: [], next: 0 };
    bySubscription.set(subscriptionId, ring);
  }
  const place = ring.next;
  ring.times[2 * place] = atMs;
  ring.times[2 * place + 1] = request.ms;
  ring.kinds[place] = kindOf(request);
  ring.requestIds[place] = request.requestId;
  ring.next = (place + 1) % KEPT_PER_SUBSCRIPTION;
}

function kindOf({ method, route, status, code }: Kind): Kind {
  const { kindsByRoute } = remembered();
  let kinds = kindsByRoute.get(route);
  if (!kinds) {
    kinds = [];
    kindsByRoute.set(route, kinds);
  }
  for (const kind of kinds) {
    if (kind.status === status && kind.method === method && kind.code === code) return kind;
  }
  const kind = { method, route, status, code };
  kinds.push(kind);
  return kind;
}

const rememberedOf = inEachProcess("recent-requests", (subscriptionId: number) => {
  const { since, bySubscription } = remembered();
  const ring = bySubscription.get(subscriptionId);
  return { since, requests: ring === undefined ? [] : requestsIn(ring) };
});

function requestsIn({ times, kinds, requestIds }: Ring): RecentRequest[] {
  return kinds.map((kind, place) => ({
    ...kind,
    at: new Date(times[2 * place] ?? 0),
    ms: times[2 * place + 1] ?? 0,
    requestId: requestIds[place] ?? "",
  }));
}

/** The last requests of a subscription at this port, newest first, and since when none of them is missing. */
export async function recentRequests(
  subscriptionId: number,
): Promise<{ since: Date; requests: RecentRequest[] }> {
  const inAll = await rememberedOf(subscriptionId);
  return {
    since: new Date(Math.max(...inAll.map(({ since }) => since.getTime()))),
    requests: inAll
      .flatMap(({ requests }) => requests)
      .toSorted((a, b) => b.at.getTime() - a.at.getTime())
      .slice(0, KEPT_PER_SUBSCRIPTION),
  };
}
