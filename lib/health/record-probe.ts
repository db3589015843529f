import type { Database } from "@/db/client";
import { insertProbe } from "@/db/queries/probes";
import { readServiceState } from "./service-state";
import { trackIncidents } from "./track-incidents";

const MINUTE_MS = 60_000;

/** Writes the service's state of the present minute, once a minute whoever runs, and what it means for incidents. */
export async function recordProbe(database: Database, now: Date): Promise<void> {
  const minute = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
  const { assessment, components } = await readServiceState(now, database, now);
  const first = await insertProbe(database, {
    minute,
    status: assessment.status,
    reasons: assessment.reasons,
    components: Object.fromEntries(components.map(({ name, status }) => [name, status])),
  });
  if (first) await trackIncidents(database);
}
