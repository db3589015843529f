import { asc, gt } from "drizzle-orm";
import type { Handle } from "../client";
import { maintenances } from "../schema";

/** Announced maintenances that are not over, the next one first. */
export async function listComingMaintenances(handle: Handle, now: Date) {
  return handle
    .select()
    .from(maintenances)
    .where(gt(maintenances.endsAt, now))
    .orderBy(asc(maintenances.startsAt))
    .limit(50);
}
