import type { Probe } from "@/db/queries/incidents";
import { WHOLE_SERVICE } from "@/db/queries/uptime";
import { MINUTE_MS } from "@/lib/time";
import type { HealthState, IncidentSeverity } from "@/lib/vocabulary";
import { readReason } from "./health-reason";

export interface OpenIncident {
  id: number;
  component: string;
  severity: IncidentSeverity;
  /** As stored. */
  reasons: readonly string[];
}

export type IncidentTransition =
  | { kind: "open"; component: string; severity: IncidentSeverity; at: Date; reasons: string[] }
  | { kind: "worsen"; id: number; reasons: string[] }
  /** The trouble goes on for other reasons. */
  | { kind: "explain"; id: number; reasons: string[] }
  | { kind: "close"; id: number; at: Date }
  /** The service itself was away, so that no probe was written. */
  | { kind: "gap"; component: string; from: Date; to: Date };

/** A probe may be late by this much before its absence means anything. */
const GAP_MINUTES = 3;

type State = HealthState;

/** Whether some component is unwell in both probes. */
const inTrouble = (states: Record<string, State>, earlier: Record<string, State>): boolean =>
  Object.entries(states).some(
    ([component, state]) =>
      component !== WHOLE_SERVICE && state !== "ok" && (earlier[component] ?? "ok") !== "ok",
  );

/** Figures in a reason change every minute; its code says whether it is another one. */
const codesOf = (reasons: readonly string[]): string =>
  reasons
    .map((reason) => readReason(reason).code)
    .sort()
    .join();

const statesOf = (probe: Probe): Record<string, State> => ({
  [WHOLE_SERVICE]: probe.status,
  ...probe.components,
});

/**
 * The changes of incidents that the two newest probes (newest first) make. A state counts once two probes agree on it,
 * from the earlier of them on. An incident can grow from degraded to down, and ends only when its
 * component is ok again.
 */
export function incidentTransitions(
  open: readonly OpenIncident[],
  probes: readonly Probe[],
): IncidentTransition[] {
  const [newest, before] = probes;
  if (!newest || !before) return [];
  const minutesApart = (newest.minute.getTime() - before.minute.getTime()) / MINUTE_MS;
  if (minutesApart > GAP_MINUTES) {
    const from = new Date(before.minute.getTime() + MINUTE_MS);
    return [{ kind: "gap", component: WHOLE_SERVICE, from, to: newest.minute }];
  }
  const states = statesOf(newest);
  const earlier = statesOf(before);
  return Object.entries(states).flatMap(([component, state]): IncidentTransition[] => {
    if (earlier[component] !== state) return [];
    const running = open.find((incident) => incident.component === component);
    if (state === "ok") return running ? [{ kind: "close", id: running.id, at: before.minute }] : [];
    const reasons = newest.reasons;
    // A state that a component explains opens no second incident of the whole service.
    if (component === WHOLE_SERVICE && !running && inTrouble(states, earlier)) return [];
    if (!running) return [{ kind: "open", component, severity: state, at: before.minute, reasons }];
    if (state === "down" && running.severity === "degraded")
      return [{ kind: "worsen", id: running.id, reasons }];
    const isOther =
      codesOf(reasons) === codesOf(before.reasons) && codesOf(reasons) !== codesOf(running.reasons);
    return isOther && reasons.length > 0 ? [{ kind: "explain", id: running.id, reasons }] : [];
  });
}
