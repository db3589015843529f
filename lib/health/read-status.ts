import type { z } from "zod";
import { db } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { listComponentStateStarts } from "@/db/queries/probes";
import type { SlotState } from "@/db/queries/slots";
import { type ReplicaState, readReplicaState } from "@/db/replica";
import { slotFreshness } from "@/lib/market/freshness";
import { compareSlots } from "@/lib/market/slot-order";
import { memo } from "@/lib/runtime/memo";
import { withDeadline } from "@/lib/runtime/unavailable";
import { SECOND_MS } from "@/lib/time";
import type { Status } from "@/lib/wire/contracts/status";
import type { AssessedComponent } from "./assess-components";
import { healthBody } from "./read-health";
import { readPublicStats } from "./read-public-stats";
import { readServiceState, type ServiceState } from "./service-state";

const SHARED_FOR_MS = 1_000;

type StatusBody = Omit<z.output<typeof Status>, "key">;

/**
 * The detailed status, without the caller's key. The assessment, components and slots come from a reading that is
 * shared for one second, the uptime for two, the replica's state for five. The age of a slot's signal is that at `now`.
 */
export async function readStatus(now: Date): Promise<StatusBody> {
  const [{ state, since }, { stats }, replica] = await Promise.all([
    readPresent(),
    readPublicStats(),
    readReplica(),
  ]);
  return {
    ...healthBody(state.assessment, "ok"),
    server_time: now,
    uptime_pct_30d: stats.uptime_pct_30d,
    components: state.components.flatMap((component) => componentItem(component, since)),
    slots: state.states
      .filter(({ modelV }) => modelV !== null)
      .toSorted(compareSlots)
      .map((slot) => slotItem(slot, now)),
    replica,
  };
}

const REPLICA_SHARED_FOR_MS = 5 * SECOND_MS;
/** Longest time in ms that the answer waits for the replica. */
const REPLICA_DEADLINE_MS = 500;

const readReplica = memo("status-replica", { ttlMs: REPLICA_SHARED_FOR_MS }, async () => {
  const silent = { state: "silent", behindBytes: null, behindSeconds: null } as const;
  const found: Pick<ReplicaState, keyof typeof silent> | null = await withDeadline(
    readReplicaState(),
    REPLICA_DEADLINE_MS,
  ).catch(() => silent);
  if (found === null) return null;
  return { state: found.state, behind_bytes: found.behindBytes, behind_seconds: found.behindSeconds };
});

interface Reading {
  state: ServiceState;
  /** Since when each component has been in its current state, as far as stored probes reach back; missing: unknown. */
  since: Map<string, Date>;
}

const readPresent = memo("status", { ttlMs: SHARED_FOR_MS }, async (): Promise<Reading> => {
  const state = await readServiceState(await readClock(db()));
  const present = Object.fromEntries(state.components.map(({ name, status }) => [name, status]));
  return { state, since: await listComponentStateStarts(db(), present) };
});

/**
 * A component as an item of the answer; none for `live`, `webhooks` and `telegram`, which only the status page shows.
 */
function componentItem(component: AssessedComponent, sinceOf: Map<string, Date>): StatusBody["components"] {
  const since = sinceOf.get(component.name) ?? null;
  const { status } = component;
  switch (component.name) {
    case "database":
    case "rate_limit":
      return [{ name: component.name, status, latency_ms: component.latencyMs, since }];
    case "mail":
      return [{ name: component.name, status, queued: component.queued, since }];
    case "live":
    case "webhooks":
    case "telegram":
      return [];
    default:
      return [{ name: component.name, status, lag_minutes: component.lagMinutes, since }];
  }
}

function slotItem(slot: SlotState, now: Date): StatusBody["slots"][number] {
  const freshness = slotFreshness({ ...slot, lastTs: slot.lastSignalTs, now });
  return {
    symbol: slot.symbol,
    timeframe: slot.timeframe,
    last_ts: slot.lastSignalTs,
    age_minutes: freshness.ageMinutes === null ? null : Math.round(freshness.ageMinutes * 100) / 100,
    expected_minutes: freshness.expectedMinutes,
    market_open: freshness.marketOpen,
    stale: freshness.stale,
  };
}
