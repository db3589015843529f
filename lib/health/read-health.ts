import type { z } from "zod";
import { db } from "@/db/client";
import { readClock } from "@/db/queries/clock";
import { readLedgerState } from "@/db/queries/ledger";
import { listSlotStates } from "@/db/queries/slots";
import { assessSlots, type SlotsAssessment } from "@/lib/market/assess-slots";
import { errorFacts, log } from "@/lib/runtime/log";
import { memo } from "@/lib/runtime/memo";
import { isDatabaseUnavailable, withDeadline } from "@/lib/runtime/unavailable";
import { API_VERSION } from "@/lib/runtime/version";
import { settingInForce } from "@/lib/settings/registry";
import type { Health } from "@/lib/wire/contracts/health";
import { formatReasons } from "./health-reason";

/** The health endpoint must answer within two seconds, even if components are broken; most of that is for the database. */
const DATABASE_DEADLINE_MS = 1_500;
const SHARED_FOR_MS = 1_000;

export type HealthBody = z.output<typeof Health>;

/** The service's assessment, and whether the database answered. */
export interface HealthAssessment {
  assessment: SlotsAssessment;
  database: "ok" | "unavailable";
}

/** The current assessment. Callers within one second share one reading. Never throws. */
export const readAssessment = memo("health", { ttlMs: SHARED_FOR_MS }, assess);

/** The current Health object. Never throws. */
export async function readHealth(): Promise<HealthBody> {
  const { assessment, database } = await readAssessment();
  return healthBody(assessment, database);
}

async function assess(): Promise<HealthAssessment> {
  try {
    const [now, states, thresholds, ledger] = await withDeadline(
      Promise.all([
        readClock(db()),
        listSlotStates(db()),
        settingInForce(db(), "health"),
        readLedgerState(db()),
      ]),
      DATABASE_DEADLINE_MS,
    );
    return { assessment: assessSlots(states, now, thresholds, ledger.refusal), database: "ok" };
  } catch (error) {
    // The answer is the same for every failure, but any failure other than an unreachable database is a defect and is
    // logged.
    if (!isDatabaseUnavailable(error))
      log("error", "could not assess the health", { error: errorFacts(error) });
    return { assessment: UNJUDGED, database: "unavailable" };
  }
}

const UNJUDGED: SlotsAssessment = {
  status: "down",
  lastPrediction: null,
  lastCandle: null,
  predLagMinutes: null,
  btcLagMinutes: null,
  stalePredCount: 0,
  totalActiveSlots: 0,
  reasons: [{ code: "database_unavailable", text: "the database does not answer" }],
};

/** The Health object of an assessment. */
export function healthBody(assessment: SlotsAssessment, database: string): HealthBody {
  return {
    status: assessment.status,
    api_version: API_VERSION,
    db: database,
    last_prediction: assessment.lastPrediction,
    last_candle: assessment.lastCandle,
    pred_lag_minutes: assessment.predLagMinutes,
    btc_lag_minutes: assessment.btcLagMinutes,
    stale_pred_count: assessment.stalePredCount,
    total_active_slots: assessment.totalActiveSlots,
    reasons: formatReasons(assessment.reasons),
  };
}
