import { processWide } from "@/lib/runtime/process-wide";
import { inEach } from "@/lib/runtime/processes";
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

const rememberedOf = inEach("recent-requests", (subscriptionId: number) => {
  const { since, bySubscription } = rings();
  return { since, requests: bySubscription.get(subscriptionId)?.entries ?? [] };
});

/** The last requests of a subscription at this port, newest first, and since when none of them is missing. */
export async function recentRequests(
  subscriptionId: number,
): Promise<{ since: Date; requests: RecentRequest[] }> {
  const remembered = await rememberedOf(subscriptionId);
  return {
    since: new Date(Math.max(...remembered.map(({ since }) => since.getTime()))),
    requests: remembered
      .flatMap(({ requests }) => requests)
      .toSorted((a, b) => b.at.getTime() - a.at.getTime())
      .slice(0, KEPT_PER_SUBSCRIPTION),
  };
}
