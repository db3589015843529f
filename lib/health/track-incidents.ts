import type { Transaction } from "@/db/client";
import {
  closeIncident,
  insertIncident,
  insertIncidentUpdate,
  listNewestProbes,
  listOpenIncidents,
  lockIncidents,
  updateIncidentReasons,
  worsenIncident,
} from "@/db/queries/incidents";
import { formatReason, parseReason, reasonSentence } from "./health-reason";
import { incidentTransitions } from "./incident-transitions";

const NOT_RUNNING = { code: "not_running", text: "the service did not run, so nothing was observed" };

const sentences = (reasons: readonly string[]): string =>
  reasons.map((reason) => reasonSentence(parseReason(reason))).join(" ");

/**
 * Updates incidents by the two newest probes: opens, worsens or closes them, or replaces their reasons. Call it once
 * per probe, in the probe's transaction: a second call would store a gap between the two probes again.
 */
export async function trackIncidents(tx: Transaction): Promise<void> {
  await lockIncidents(tx);
  const probes = await listNewestProbes(tx, 2);
  const open = await listOpenIncidents(tx);
  /** Adds an update with the new and the former reasons to an incident's history. */
  const noteChange = (incidentId: number, what: string, reasons: readonly string[]) => {
    const former = sentences(open.find(({ id }) => id === incidentId)?.reasons ?? []);
    const message = `${what}: ${sentences(reasons)}${former && ` Before: ${former}`}`;
    return insertIncidentUpdate(tx, { incidentId }, { stage: "update", message });
  };
  for (const move of incidentTransitions(open, probes)) {
    if (move.kind === "open") {
      const { component, severity, reasons, at } = move;
      await insertIncident(tx, { component, severity, reasons, openedAt: at });
    } else if (move.kind === "worsen") {
      await worsenIncident(tx, move.id, move.reasons);
      await noteChange(move.id, "It is now down", move.reasons);
    } else if (move.kind === "explain") {
      await updateIncidentReasons(tx, move.id, move.reasons);
      await noteChange(move.id, "The cause has changed", move.reasons);
    } else if (move.kind === "close") {
      await closeIncident(tx, move.id, move.at);
    } else {
      await insertIncident(tx, {
        component: move.component,
        severity: "down",
        reasons: [formatReason(NOT_RUNNING)],
        openedAt: move.from,
        closedAt: move.to,
      });
    }
  }
}
