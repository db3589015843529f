import { LRUCache } from "lru-cache";
import { atFront } from "@/lib/runtime/front-channel";
import { processWide } from "@/lib/runtime/process-wide";

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

const book = () =>
  processWide("recent-requests", () => ({
    since: new Date(Date.now() - process.uptime() * 1_000),
    requests: new LRUCache<number, RecentRequest[]>({ max: KEPT_SUBSCRIPTIONS }),
  }));

/** Remembers a request that was answered at `atMs` of the epoch: the last 20 of each of the 10,000 subscriptions heard last. */
export function noteRequest(subscriptionId: number, atMs: number, request: Omit<RecentRequest, "at">): void {
  const { requests } = book();
  const known = requests.get(subscriptionId);
  const noted: RecentRequest = { at: new Date(atMs), ...request };
  if (known === undefined) {
    requests.set(subscriptionId, [noted]);
    return;
  }
  if (known.length === KEPT_PER_SUBSCRIPTION) known.shift();
  known.push(noted);
}

/** The last requests of a subscription at this server, newest first, and since when none of them is missing. */
export const recentRequests = atFront(
  "recent-requests",
  (subscriptionId: number): { since: Date; requests: RecentRequest[] } => ({
    since: book().since,
    requests: (book().requests.get(subscriptionId) ?? []).toReversed(),
  }),
);
