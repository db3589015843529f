import type { Database } from "@/db/client";
import { insertProbe } from "@/db/queries/probes";
import { findFirstProbeMinute, WHOLE_SERVICE } from "@/db/queries/uptime";
import { env } from "@/lib/runtime/env";
import type { HealthState } from "@/lib/vocabulary";
import { formatComponentReasons, formatReason } from "./health-reason";
import { readServiceState } from "./service-state";
import { trackIncidents } from "./track-incidents";
import { startOfMinute } from "./uptime";

/** Components whose `down` means that signals fail to arrive, which needs a first signal. */
const BEFORE_FIRST_SIGNAL: ReadonlySet<string> = new Set([WHOLE_SERVICE, "predictions", "candles"]);

/**
 * Records the service's state in the current minute and updates the incidents, in one transaction. Only the first probe
 * of a minute is stored, whichever worker made it; the others change nothing. A new demo is observed from its first
 * healthy minute on: before that its market is still being made.
 */
export async function recordProbe(database: Database, now: Date): Promise<void> {
  const { assessment, components } = await readServiceState(now, database, now);
  const isHealthy = assessment.status === "ok";
  if (env().marketFeed === "demo" && !isHealthy && (await findFirstProbeMinute(database)) === null) return;
  // Without any signal yet the service has nothing that could be down: these minutes are degraded.
  const probed = (name: string, status: HealthState): HealthState =>
    assessment.lastPrediction === null && status === "down" && BEFORE_FIRST_SIGNAL.has(name)
      ? "degraded"
      : status;
  await database.transaction(async (tx) => {
    const first = await insertProbe(tx, {
      minute: startOfMinute(now),
      status: probed(WHOLE_SERVICE, assessment.status),
      reasons: [...assessment.reasons.map(formatReason), ...formatComponentReasons(components)],
      components: Object.fromEntries(components.map(({ name, status }) => [name, probed(name, status)])),
    });
    if (first) await trackIncidents(tx);
  });
}
