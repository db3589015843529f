import { z } from "zod";
import { HEALTH_STATES, NOT_READY_REASONS } from "@/lib/vocabulary";
import { Timestamp } from "./shared";

export const Health = z
  .strictObject({
    status: z.enum(HEALTH_STATES),
    api_version: z.string(),
    db: z.string(),
    last_prediction: Timestamp.nullable(),
    last_candle: Timestamp.nullable(),
    pred_lag_minutes: z.number().nullable(),
    btc_lag_minutes: z.number().nullable(),
    stale_pred_count: z.int(),
    total_active_slots: z.int(),
    reasons: z.array(z.string()).nullable(),
  })
  .meta({ id: "Health" });

/** The answer of /api/health/live. */
export const LivenessAnswer = z.strictObject({ live: z.literal(true) }).meta({ id: "Live" });

/** The answer of /api/health/ready if a load balancer may send requests to this process. */
export const ReadyAnswer = z.strictObject({ ready: z.literal(true), reason: z.null() }).meta({ id: "Ready" });

/** The answer of /api/health/ready, with status 503, if a load balancer should send requests to another process. */
export const NotReadyAnswer = z
  .strictObject({ ready: z.literal(false), reason: z.enum(NOT_READY_REASONS) })
  .meta({ id: "NotReady" });
