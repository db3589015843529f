import { processWide } from "@/lib/runtime/process-wide";
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

interface Ring {
  entries: RecentRequest[];
  next: number;
}

const rings = () =>
  processWide("recent-requests", () => ({
    since: new Date(Date.now() - process.uptime() * 1_000),
    bySubscription: new RecentMap<number, Ring>(KEPT_SUBSCRIPTIONS),
  }));

/** Remembers an answered request in this process: the last 20 of each subscription, at constant cost (decision 89). */
export function noteRequest(subscriptionId: number, request: RecentRequest): void {
  const { bySubscription } = rings();
  let ring = bySubscription.get(subscriptionId);
  if (!ring) {
    ring = { entries: [], next: 0 };
    bySubscription.set(subscriptionId, ring);
  }
  ring.entries[ring.next] = request;
  ring.next = (ring.next + 1) % KEPT_PER_SUBSCRIPTION;
}

/** The last requests of a subscription, newest first, and since when this process has run. */
export function recentRequests(subscriptionId: number): { since: Date; requests: RecentRequest[] } {
  const { since, bySubscription } = rings();
  const requests = (bySubscription.get(subscriptionId)?.entries ?? []).toSorted(
    (a, b) => b.at.getTime() - a.at.getTime(),
  );
  return { since, requests };
}
