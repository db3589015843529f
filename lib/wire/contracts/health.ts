import { z } from "zod";
import { HEALTH_STATES } from "@/lib/vocabulary";
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
