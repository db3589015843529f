import { LRUCache } from "lru-cache";
import { processWide } from "@/lib/runtime/process-wide";
import { serverProcedure } from "@/lib/runtime/server-rpc";

/** Facts of one answered request of a subscription, without its body or parameters. */
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

interface Kept {
  /** Since when the requests are recorded. Of the requests since then, the newest 20 are kept. */
  since: Date;
  requests: RecentRequest[];
}

class Book {
  /**
   * Time of the newest request that was dropped with its whole subscription; before the first drop, the start of the
   * process.
   */
  forgotten = new Date(Date.now() - process.uptime() * 1_000);
  readonly kept = new LRUCache<number, Kept>({
    max: KEPT_SUBSCRIPTIONS,
    dispose: ({ requests }, _id, reason) => {
      const last = requests.at(-1)?.at;
      if (reason === "evict" && last && last > this.forgotten) this.forgotten = last;
    },
  });
}

const book = () => processWide("recent-requests", () => new Book());

/**
 * Stores a request answered at `atMs` (epoch). Kept are the last 20 of each subscription, for the 10,000 subscriptions
 * whose requests were stored or read last.
 */
export function noteRequest(subscriptionId: number, atMs: number, request: Omit<RecentRequest, "at">): void {
  const { kept, forgotten } = book();
  const known = kept.get(subscriptionId);
  const noted: RecentRequest = { at: new Date(atMs), ...request };
  if (known === undefined) {
    kept.set(subscriptionId, { since: forgotten, requests: [noted] });
    return;
  }
  if (known.requests.length === KEPT_PER_SUBSCRIPTION) known.requests.shift();
  known.requests.push(noted);
}

/** The last requests of a subscription at the HTTP server, newest first, and since when they are recorded. */
export const recentRequests = serverProcedure(
  "recent-requests",
  (subscriptionId: number): { since: Date; requests: RecentRequest[] } => {
    const { kept, forgotten } = book();
    const { since, requests } = kept.get(subscriptionId) ?? { since: forgotten, requests: [] };
    return { since, requests: requests.toReversed() };
  },
);
