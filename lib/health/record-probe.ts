import type { Database } from "@/db/client";
import { insertProbe } from "@/db/queries/probes";
import { formatReason } from "./health-reason";
import { readServiceState } from "./service-state";
import { trackIncidents } from "./track-incidents";
import { startOfMinute } from "./uptime";

/**
 * Records the service's state of the current minute and updates the incidents. Several workers still write one probe
 * a minute.
 */
export async function recordProbe(database: Database, now: Date): Promise<void> {
  const { assessment, components } = await readServiceState(now, database, now);
  const first = await insertProbe(database, {
    minute: startOfMinute(now),
    status: assessment.status,
    reasons: assessment.reasons.map(formatReason),
    components: Object.fromEntries(components.map(({ name, status }) => [name, status])),
  });
  if (first) await trackIncidents(database);
}
