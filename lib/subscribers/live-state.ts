import { db } from "@/db/client";
import { readWatchedState, type WatchedState } from "@/db/queries/watched-state";
import { laterInstant } from "@/lib/time";
import type { EaStateName } from "@/lib/vocabulary";
import { eaStateAt } from "./ea-state";
import { newestUnwrittenCalls } from "./heartbeat";

/** The state that is pushed to an open portal page. */
export interface LiveState {
  /** When the state was read. The page shows its age. */
  at: string;
  /** Lets the page notice that another tab chose another subscription or signed in as another person. */
  subscriptionId: number;
  /** Version of the shared signals. */
  signals: number;
  /** Version of the subscription's executions. */
  executions: number;
  ea: { status: EaStateName; lastSeenAt: string | null };
}

/** The state of each subscription, by id. `unwritten` has calls that may be newer than those in the database. */
export function liveStates(
  { versions, subscriptions }: WatchedState,
  unwritten: ReadonlyMap<number, Date>,
): Map<number, LiveState> {
  const now = new Date();
  return new Map(
    [...subscriptions].map(([id, { lastSeenAt, executions }]): [number, LiveState] => {
      const seen = laterInstant(lastSeenAt, unwritten.get(id) ?? null);
      const ea = { status: eaStateAt(seen, now).status, lastSeenAt: seen?.toISOString() ?? null };
      return [id, { at: now.toISOString(), subscriptionId: id, signals: versions.signals, executions, ea }];
    }),
  );
}

/** Reads the state once, for pages that poll instead of listening. */
export async function readLiveState(subscriptionId: number): Promise<LiveState> {
  const unwritten = await newestUnwrittenCalls([subscriptionId]);
  const changes = await readWatchedState(db(), { keyIds: [], subscriptionIds: [subscriptionId] });
  const state = liveStates(changes, unwritten).get(subscriptionId);
  if (!state) throw new Error("the requested subscription has no state");
  return state;
}
