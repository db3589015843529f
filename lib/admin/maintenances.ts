import type { Database } from "@/db/client";
import { deleteMaintenance, insertMaintenance } from "@/db/queries/incidents";
import { type Actor, recordAudit } from "@/lib/runtime/audit";
import { AppError, invalidField } from "@/lib/wire/errors";

export interface MaintenanceAnnouncement {
  startsAt: Date;
  endsAt: Date;
  message: string;
}

/**
 * Announces a maintenance on the status page. Throws validation_failed if it ends before it starts or has ended
 * already.
 */
export async function announceMaintenance(
  database: Database,
  announcement: MaintenanceAnnouncement,
  actor: Actor,
  now: Date,
): Promise<number> {
  if (announcement.endsAt <= announcement.startsAt)
    throw invalidField("body", "ends_at", "must be after the start");
  if (announcement.endsAt <= now) throw invalidField("body", "ends_at", "must be in the future");
  return database.transaction(async (tx) => {
    const id = await insertMaintenance(tx, announcement);
    await recordAudit(tx, {
      actor,
      action: "maintenance.announce",
      target: `maintenance/${id}`,
      details: { startsAt: announcement.startsAt.toISOString(), endsAt: announcement.endsAt.toISOString() },
    });
    return id;
  });
}

/**
 * Deletes a maintenance that was announced. Throws not_found if it does not exist or has ended: a past maintenance
 * stays.
 */
export async function withdrawMaintenance(
  database: Database,
  id: number,
  actor: Actor,
  now: Date,
): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await deleteMaintenance(tx, id, now)))
      throw new AppError("not_found", { detail: "There is no such announcement, or it is over." });
    await recordAudit(tx, { actor, action: "maintenance.withdraw", target: `maintenance/${id}` });
  });
}
