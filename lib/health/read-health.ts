import type { z } from "zod";
import { db } from "@/db/client";
import { readClock } from "@/db/queries/instants";
import { readSetting } from "@/db/queries/settings";
import { listSlotStates } from "@/db/queries/slots";
import type { Health } from "../api/contracts/health";
import { processWide } from "../process-wide";
import { withDeadline } from "../unavailable";
import { API_VERSION } from "../version";
import { type Assessment, assessSlots, HEALTH_THRESHOLDS, type HealthThresholds } from "./assess-health";

/** The health answer comes within two seconds whatever is broken; the database gets most of them. */
const DATABASE_DEADLINE_MS = 1_500;
const SHARED_FOR_MS = 1_000;

export type HealthBody = z.output<typeof Health>;

interface Reading {
  at: number;
  body: Promise<HealthBody>;
}

const state = () => processWide<{ reading: Reading | null }>("health", () => ({ reading: null }));

/** The Health object as of now; callers within one second share one reading. */
export async function readHealth(): Promise<HealthBody> {
  const held = state();
  if (!held.reading || performance.now() - held.reading.at > SHARED_FOR_MS) {
    held.reading = { at: performance.now(), body: assess() };
  }
  return held.reading.body;
}

async function assess(): Promise<HealthBody> {
  try {
    const [now, states, thresholds] = await withDeadline(
      Promise.all([
        readClock(db()),
        listSlotStates(db()),
        readSetting<HealthThresholds>(db(), "health_thresholds"),
      ]),
      DATABASE_DEADLINE_MS,
    );
    return healthBody(assessSlots(states, now, { ...HEALTH_THRESHOLDS, ...thresholds }), "ok");
  } catch {
    // Whatever the failure was, the answer is the same: the database did not give one in time.
    return healthBody(
      {
        status: "down",
        lastPrediction: null,
        lastCandle: null,
        predLagMinutes: null,
        btcLagMinutes: null,
        stalePredCount: 0,
        totalActiveSlots: 0,
        reasons: ["database_unavailable: the database does not answer"],
      },
      "unavailable",
    );
  }
}

/** The Health object of an assessment. */
export function healthBody(assessment: Assessment, database: string): HealthBody {
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
    reasons: assessment.reasons.length === 0 ? null : assessment.reasons,
  };
}
