import type { HealthProbe } from "@/db/queries/incidents";
import { WHOLE_SERVICE } from "@/db/queries/uptime";
import { MINUTE_MS } from "@/lib/time";
import type { HealthState, IncidentSeverity } from "@/lib/vocabulary";
import { parseReason, reasonsOf } from "./health-reason";

export interface OpenIncident {
  id: number;
  component: string;
  severity: IncidentSeverity;
  /** Reasons as stored, `code: text`. */
  reasons: readonly string[];
}

export type IncidentTransition =
  | { kind: "open"; component: string; severity: IncidentSeverity; at: Date; reasons: string[] }
  | { kind: "worsen"; id: number; reasons: string[] }
  /** The incident continues, and the codes of its reasons are others in both probes. */
  | { kind: "explain"; id: number; reasons: string[] }
  | { kind: "close"; id: number; at: Date }
  /** The service itself was down, so that probes are missing. */
  | { kind: "gap"; component: string; from: Date; to: Date };

/** If two successive probes are more than this many minutes apart, the service counts as down in between. */
const GAP_MINUTES = 3;

type State = HealthState;

/** Whether at least one component is degraded or down in both probes. */
const inTrouble = (states: Record<string, State>, earlier: Record<string, State>): boolean =>
  Object.entries(states).some(
    ([component, state]) =>
      component !== WHOLE_SERVICE && state !== "ok" && (earlier[component] ?? "ok") !== "ok",
  );

/** The codes of reasons, for comparison: their texts contain figures that change every minute. */
const codesOf = (reasons: readonly string[]): string =>
  reasons
    .map((reason) => parseReason(reason).code)
    .sort()
    .join();

const statesOf = (probe: HealthProbe): Record<string, State> => ({
  [WHOLE_SERVICE]: probe.status,
  ...probe.components,
});

/**
 * Changes of incidents from the two newest probes (newest first). A state counts once two probes agree, from the
 * earlier one on. An incident can worsen from degraded to down, and closes only when its component is ok again.
 */
export function incidentTransitions(
  open: readonly OpenIncident[],
  probes: readonly HealthProbe[],
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
    const reasons = reasonsOf(component, newest);
    // If a component explains the state, no second incident of the whole service is opened.
    if (component === WHOLE_SERVICE && !running && inTrouble(states, earlier)) return [];
    if (!running) return [{ kind: "open", component, severity: state, at: before.minute, reasons }];
    if (state === "down" && running.severity === "degraded")
      return [{ kind: "worsen", id: running.id, reasons }];
    const isOther =
      codesOf(reasons) === codesOf(reasonsOf(component, before)) &&
      codesOf(reasons) !== codesOf(running.reasons);
    return isOther && reasons.length > 0 ? [{ kind: "explain", id: running.id, reasons }] : [];
  });
}
