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

/** The process answers. */
export const LivenessAnswer = z.strictObject({ live: z.literal(true) }).meta({ id: "Live" });

/** A load balancer may send requests here. */
export const ReadyAnswer = z.strictObject({ ready: z.literal(true), reason: z.null() }).meta({ id: "Ready" });

/** A load balancer should send its requests elsewhere. */
export const NotReadyAnswer = z
  .strictObject({ ready: z.literal(false), reason: z.enum(NOT_READY_REASONS) })
  .meta({ id: "NotReady" });
