import { z } from "zod";
import { EaState } from "./account";
import { CalibrationStatus } from "./quality";
import { PlanName, SymbolCode, TimeframeCode, Timestamp } from "./shared";

const directions = { total: z.int(), BUY: z.int(), SELL: z.int(), NO_TRADE: z.int() };

export const MonitoringData = z
  .strictObject({
    generated_at: Timestamp,
    window_hours: z.literal(24),
    ea_health: z.strictObject({
      total: z.int(),
      online: z.int(),
      delayed: z.int(),
      offline: z.int(),
      never: z.int(),
      clients: z.array(
        z.strictObject({
          key_id: z.int(),
          user_name: z.string(),
          plan_tier: PlanName,
          status: EaState.shape.status,
          mins_since: z.number().nullable(),
          last_seen_at: Timestamp.nullable(),
          recent_signals_24h: z.int(),
          lag_minutes: z.number().nullable(),
        }),
      ),
    }),
    signal_distribution: z.strictObject({
      ...directions,
      by_symbol: z.array(z.strictObject({ symbol: SymbolCode, ...directions })),
      by_timeframe: z.array(z.strictObject({ timeframe: TimeframeCode, ...directions })),
      by_regime: z.array(z.strictObject({ regime: z.string(), ...directions })),
      confidence_histogram: z.array(z.strictObject({ lo: z.number(), hi: z.number(), n: z.int() })),
    }),
    feature_health: z.array(
      z.strictObject({
        symbol: SymbolCode,
        tf_code: TimeframeCode,
        feature: z.string(),
        null_pct: z.number(),
        psi: z.number().nullable(),
        last_value_at: Timestamp.nullable(),
        status: z.enum(["ok", "watch", "drifted", "unknown"]),
      }),
    ),
    models: z.array(
      z.strictObject({
        symbol: SymbolCode,
        tf_code: TimeframeCode,
        model_v: z.string(),
        auc_wf: z.number().nullable(),
        pf_wf: z.number().nullable(),
        trained_at: Timestamp,
        n_predictions_24h: z.int(),
        ece: z.number().nullable(),
        brier: z.number().nullable(),
        status: CalibrationStatus,
      }),
    ),
  })
  .meta({ id: "MonitoringData" });
