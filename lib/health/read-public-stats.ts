import { db } from "@/db/client";
import { readPublicCounts } from "@/db/queries/public-stats";
import { WHOLE_SERVICE } from "@/db/queries/uptime";
import { memo } from "@/lib/runtime/memo";
import { laterInstant } from "@/lib/time";
import type { PublicStats } from "@/lib/wire/contracts/public-stats";
import { readProbeHistory } from "./read-probe-history";
import { uptimeDays, uptimePct } from "./uptime";

const SHARED_FOR_MS = 2_000;
const SHOWN_UPTIME_DAYS = 30;

/**
 * The public figures with the time of their reading. `uptimeSince` is the first minute that the uptime covers; null:
 * there is no probe. Callers within two seconds share one reading.
 */
export const readPublicStats = memo(
  "public-stats",
  { ttlMs: SHARED_FOR_MS },
  async (): Promise<{ at: Date; stats: PublicStats; uptimeSince: Date | null }> => {
    const now = new Date();
    const [counts, probes] = await Promise.all([readPublicCounts(db(), now), readProbeHistory(now)]);
    const days = uptimeDays(probes.days, WHOLE_SERVICE, probes.firstProbeAt, now, SHOWN_UPTIME_DAYS);
    const windowStart = days[0]?.date ?? null;
    return {
      at: now,
      uptimeSince: probes.firstProbeAt && laterInstant(probes.firstProbeAt, windowStart),
      stats: {
        active_models: counts.activeModels,
        total_signals_24h: counts.totalSignals24h,
        directional_signals_24h: counts.directionalSignals24h,
        monitored_pairs: counts.monitoredPairs,
        // 100 if nothing was observed, because the interface has no null here.
        uptime_pct_30d: Math.round((uptimePct(days) ?? 100) * 1000) / 1000,
      },
    };
  },
);
