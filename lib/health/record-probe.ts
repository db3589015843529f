import type { Database } from "@/db/client";
import { insertProbe } from "@/db/queries/probes";
import { readSetting } from "@/db/queries/settings";
import { listSlotStates } from "@/db/queries/slots";
import { assessSlots, HEALTH_THRESHOLDS, type HealthThresholds } from "./assess-health";

const MINUTE_MS = 60_000;

/** Writes the service's state of the present minute, once a minute whoever runs. */
export async function recordProbe(database: Database, now: Date): Promise<void> {
  const minute = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
  const [states, thresholds] = await Promise.all([
    listSlotStates(database),
    readSetting<HealthThresholds>(database, "health_thresholds"),
  ]);
  const { status, reasons } = assessSlots(states, now, { ...HEALTH_THRESHOLDS, ...thresholds });
  await insertProbe(database, {
    minute,
    status,
    reasons,
    components: { database: "ok", predictions: status },
  });
}
