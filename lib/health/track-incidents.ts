import type { Database } from "@/db/client";
import { closeIncident, escalateIncident, listNewestProbes, openIncident } from "@/db/queries/incidents";
import { log } from "../log";

type State = "ok" | "degraded" | "down";

export interface ProbeState {
  minute: Date;
  reasons: string[];
  components: Record<string, State>;
}

export type IncidentStep =
  | {
      kind: "open";
      component: string;
      severity: "degraded" | "down";
      reasons: string[];
      openedAt: Date;
    }
  | { kind: "close"; component: string; closedAt: Date };

const MINUTE_MS = 60_000;

/**
 * What two probes in a row say about each component: both in trouble opens an incident as of the older one, with
 * the milder of the two states; both well closes it as of the older one. Probes with a gap between them or that
 * disagree say nothing. Pure.
 */
export function incidentSteps(newer: ProbeState, older: ProbeState): IncidentStep[] {
  if (newer.minute.getTime() - older.minute.getTime() !== MINUTE_MS) return [];
  return Object.entries(newer.components).flatMap(([component, state]): IncidentStep[] => {
    const before = older.components[component];
    if (before === undefined) return [];
    if (state === "ok" && before === "ok") return [{ kind: "close", component, closedAt: older.minute }];
    if (state === "ok" || before === "ok") return [];
    const severity = state === "down" && before === "down" ? "down" : "degraded";
    return [{ kind: "open", component, severity, reasons: newer.reasons, openedAt: older.minute }];
  });
}

/** Opens and closes incidents by the two newest probes. Doing it twice changes nothing. */
export async function trackIncidents(database: Database): Promise<void> {
  const [newer, older] = await listNewestProbes(database, 2);
  if (!newer || !older) return;
  for (const step of incidentSteps(newer, older)) {
    if (step.kind === "close") {
      if (await closeIncident(database, step.component, step.closedAt))
        log("info", "an incident is over", { component: step.component });
      continue;
    }
    const { kind: _, ...incident } = step;
    if (await openIncident(database, incident))
      log("warn", "an incident began", { component: step.component, reason: step.severity });
    else if (step.severity === "down") await escalateIncident(database, step);
  }
}
