import type { Database, Transaction } from "@/db/client";
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

/** Adds an update with the new reasons to an incident's history. */
const noteChange = (tx: Transaction, incidentId: number, what: string, reasons: readonly string[]) =>
  insertIncidentUpdate(
    tx,
    { incidentId },
    {
      stage: "update",
      message: `${what}: ${reasons.map((reason) => reasonSentence(parseReason(reason))).join(" ")}`,
    },
  );

/**
 * Updates incidents by the two newest probes: opens, worsens or closes them, or replaces their reasons. Call it once
 * after each new probe: a second call would store a gap between the two probes again.
 */
export async function trackIncidents(database: Database): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockIncidents(transaction);
    const probes = await listNewestProbes(transaction, 2);
    const open = await listOpenIncidents(transaction);
    for (const move of incidentTransitions(open, probes)) {
      if (move.kind === "open") {
        const { component, severity, reasons, at } = move;
        await insertIncident(transaction, { component, severity, reasons, openedAt: at });
      } else if (move.kind === "worsen") {
        await worsenIncident(transaction, move.id, move.reasons);
        await noteChange(transaction, move.id, "It is now down", move.reasons);
      } else if (move.kind === "explain") {
        await updateIncidentReasons(transaction, move.id, move.reasons);
        await noteChange(transaction, move.id, "The cause has changed", move.reasons);
      } else if (move.kind === "close") {
        await closeIncident(transaction, move.id, move.at);
      } else {
        await insertIncident(transaction, {
          component: move.component,
          severity: "down",
          reasons: [formatReason(NOT_RUNNING)],
          openedAt: move.from,
          closedAt: move.to,
        });
      }
    }
  });
}
