import type { z } from "zod";
import { db } from "@/db/client";
import { listFeatureStatistics } from "@/db/queries/features";
import { listKeyLastCalls } from "@/db/queries/keys";
import { listChampions } from "@/db/queries/models";
import { tallySignals } from "@/db/queries/signal-windows";
import { effectiveScope } from "@/lib/access/plans";
import { readModelQuality } from "@/lib/admin/read-model-quality";
import { compareSlots } from "@/lib/market/slot-order";
import { featureStatus } from "@/lib/models/record-feature-drift";
import { type FreshSlotCoverage, readFreshSlotCoverage } from "@/lib/subscribers/diagnose-ea";
import { eaStateAt } from "@/lib/subscribers/ea-state";
import { heartbeatBuffer } from "@/lib/subscribers/heartbeat";
import { addHours, laterInstant } from "@/lib/time";
import type { MonitoringData } from "@/lib/wire/contracts/monitoring";
import { roundFigure } from "@/lib/wire/round";
import { signalDistribution } from "./signal-distribution";

const WINDOW_HOURS = 24;

type Monitoring = z.output<typeof MonitoringData>;

/**
 * Data of the operations dashboard: clients, signals of the last 24 hours, features and models. The calibration is the
 * cached one that the pages show, so that both agree.
 */
export async function readMonitoring(now: Date): Promise<Monitoring> {
  const since = addHours(now, -WINDOW_HOURS);
  const [clients, tallies, features, champions, quality] = await Promise.all([
    listClients(now),
    tallySignals(db("heavy"), since),
    listFeatureStatistics(db("heavy")),
    listChampions(db("heavy")),
    readModelQuality(),
  ]);
  const withStatus = (status: Monitoring["ea_health"]["clients"][number]["status"]) =>
    clients.filter((client) => client.status === status).length;
  return {
    generated_at: now,
    window_hours: WINDOW_HOURS,
    ea_health: {
      total: clients.length,
      online: withStatus("online"),
      delayed: withStatus("delayed"),
      offline: withStatus("offline"),
      never: withStatus("never"),
      clients,
    },
    signal_distribution: signalDistribution(tallies),
    feature_health: features.map((row) => ({
      symbol: row.symbol,
      tf_code: row.timeframe,
      feature: row.feature,
      null_pct: roundFigure(row.nullPct),
      psi: roundFigure(row.psi),
      last_value_at: row.lastValueAt,
      status: featureStatus(row),
    })),
    models: champions.toSorted(compareSlots).map((champion) => {
      const isSame = (row: { symbol: string; modelV: string }, timeframe: string) =>
        row.symbol === champion.symbol && timeframe === champion.timeframe && row.modelV === champion.modelV;
      const judged = quality.calibration.find((model) =>
        isSame({ symbol: model.symbol, modelV: model.model_v }, model.tf_code),
      );
      return {
        symbol: champion.symbol,
        tf_code: champion.timeframe,
        model_v: champion.modelV,
        auc_wf: champion.aucWf,
        pf_wf: champion.pfWf,
        trained_at: champion.trainedAt,
        n_predictions_24h: tallies.reduce(
          (sum, tally) => sum + (isSame(tally, tally.timeframe) ? tally.n : 0),
          0,
        ),
        ece: judged?.ece ?? null,
        brier: judged?.brier ?? null,
        status:
          quality.slots.find((slot) => slot.symbol === champion.symbol && slot.tf_code === champion.timeframe)
            ?.status ?? "insufficient",
      };
    }),
  };
}

/** One row per key that is neither revoked nor replaced. */
async function listClients(now: Date): Promise<Monitoring["ea_health"]["clients"]> {
  const keys = await listKeyLastCalls(db("heavy"));
  // Keys with the same scope see the same slots, so their coverage is read once.
  const coverages = new Map<string, FreshSlotCoverage>();
  const clients = keys.map((key) => ({ key, scope: effectiveScope(key) }));
  for (const { scope } of clients)
    if (!coverages.has(scope.id)) coverages.set(scope.id, await readFreshSlotCoverage(scope, now));
  return clients.map(({ key, scope }) => {
    const lastSeenAt = laterInstant(key.lastSeenAt, heartbeatBuffer().newestOfKey(key.keyId));
    const state = eaStateAt(lastSeenAt, now);
    const coverage = coverages.get(scope.id);
    return {
      key_id: key.keyId,
      user_name: key.userName,
      plan_tier: key.planTier,
      status: state.status,
      mins_since: state.mins_since,
      last_seen_at: lastSeenAt,
      recent_signals_24h: coverage?.recentSignals24h ?? 0,
      lag_minutes: coverage?.lagMinutes ?? null,
    };
  });
}
