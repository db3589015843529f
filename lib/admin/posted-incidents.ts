import type { Database, Transaction } from "@/db/client";
import { recordAlertEvent } from "@/db/queries/alerts";
import { readClock } from "@/db/queries/clock";
import {
  findPostedIncidentAfter,
  type IncidentReference,
  insertIncidentUpdate,
  insertPostedIncident,
  lockIncident,
  lockIncidents,
  resolvePostedIncident,
} from "@/db/queries/incidents";
import { queueStatusUpdateMails } from "@/lib/outbound/mail/notices";
import { adminPaths } from "@/lib/paths";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import type { IncidentSeverity, IncidentStage } from "@/lib/vocabulary";
import { AppError, invalidField } from "@/lib/wire/errors";

/**
 * Posts an incident to the status page with its first update. Returns its id. `newestShown` is the id of the newest written
 * incident that the administrator saw, or 0. Throws a 422 if a newer one is open, so that two administrators do not post
 * the same incident.
 */
export async function postIncident(
  database: Database,
  incident: { title: string; severity: IncidentSeverity; message: string },
  actor: Actor,
  newestShown: number,
): Promise<number> {
  const { title, severity, message } = incident;
  return database.transaction(async (tx) => {
    await lockIncidents(tx);
    const newer = await findPostedIncidentAfter(tx, newestShown);
    if (newer !== null)
      throw invalidField(
        "body",
        "title",
        `was not published: since this page was opened, “${newer}” was. Add an update to it, or publish this again`,
      );
    const postedId = await insertPostedIncident(tx, { title, severity });
    await insertIncidentUpdate(tx, { postedId }, { stage: "investigating", message });
    await queueStatusUpdateMails(tx, {
      key: `posted-incident/${postedId}`,
      title: `Status: ${title}`,
      message,
    });
    await recordAudit(tx, {
      actor,
      action: "incident.post",
      target: `posted-incident/${postedId}`,
      details: { title, severity },
    });
    await alertOwners(tx, `posted-incident/${postedId}`, `Incident: ${title}`, message);
    return postedId;
  });
}

/**
 * Adds an update to an incident. `resolved` ends an incident that an administrator posted; an automatic one ends only by its
 * checks. Throws not_found, conflict for a posted incident that has ended, and 422 for the stage.
 */
export async function postIncidentUpdate(
  database: Database,
  of: IncidentReference,
  update: { stage: IncidentStage; message: string },
  actor: Actor,
): Promise<void> {
  if ("incidentId" in of && update.stage === "resolved")
    throw invalidField("body", "stage", "is decided by the service's own checks for this incident");
  await database.transaction(async (tx) => {
    const isOpen = await lockIncident(tx, of);
    if (isOpen === null) throw new AppError("not_found", { detail: "There is no such incident." });
    if (!isOpen && "postedId" in of)
      throw new AppError("conflict", { detail: "This incident is resolved already. Write a new one." });
    const updateId = await insertIncidentUpdate(tx, of, update);
    await queueStatusUpdateMails(tx, {
      key: `incident-update/${updateId}`,
      title: `Status: ${update.stage === "resolved" ? "an incident is resolved" : "an update on an incident"}`,
      message: update.message,
    });
    if (update.stage === "resolved" && "postedId" in of) {
      const title = await resolvePostedIncident(tx, of.postedId);
      await alertOwners(tx, `posted-incident/${of.postedId}/resolved`, `Resolved: ${title}`, update.message);
    }
    await recordAudit(tx, {
      actor,
      action: "incident.update",
      target: "postedId" in of ? `posted-incident/${of.postedId}` : `incident/${of.incidentId}`,
      details: { stage: update.stage },
    });
  });
}

/** Stores an alert for the owners who subscribed to health alerts. The worker sends it. */
async function alertOwners(tx: Transaction, subject: string, title: string, text: string): Promise<void> {
  const at = await readClock(tx);
  await recordAlertEvent(tx, { topic: "health", subject, title, text, path: adminPaths.statusPage(), at });
}
