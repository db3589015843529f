import type { Handle } from "../client";
import { healthProbes } from "../schema";

/** Stores the probe of a minute; the first one of it stands. Returns whether this was the first. */
export async function insertProbe(handle: Handle, probe: typeof healthProbes.$inferInsert): Promise<boolean> {
  const stored = await handle
    .insert(healthProbes)
    .values(probe)
    .onConflictDoNothing()
    .returning({ minute: healthProbes.minute });
  return stored.length > 0;
}
