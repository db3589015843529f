import type { Handle } from "../client";
import { healthProbes } from "../schema";

/** Stores the probe of a minute; the first one of it stands. */
export async function insertProbe(handle: Handle, probe: typeof healthProbes.$inferInsert): Promise<void> {
  await handle.insert(healthProbes).values(probe).onConflictDoNothing();
}
