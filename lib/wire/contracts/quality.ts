import { z } from "zod";
import { intParam } from "@/lib/wire/params";
import { symbolFilter, timeframeFilter } from "./filters";
import { Probability, SymbolCode, TimeframeCode, Timestamp } from "./shared";

export const PerformanceQuery = z.object({
  days: intParam({ min: 1, max: 365, default: 30 }),
  symbol: symbolFilter(),
  tf_code: timeframeFilter(),
});

export const TrackRecord = z
  .strictObject({
    symbol: SymbolCode,
    tf_code: TimeframeCode,
    model_v: z.string(),
    n_signals: z.int(),
    n_directional: z.int(),
    n_resolved: z.int(),
    n_wins: z.int(),
    n_losses: z.int(),
    win_rate_pct: z.number(),
    win_rate_ci95: z.tuple([z.number(), z.number()]).meta({
      description: "Wilson interval in percent; overlapping results count once",
    }),
    baseline_win_rate_pct: z.number().meta({
      description: "The better of always BUY and always SELL on the same signals and barriers",
    }),
    profit_factor: z.number().nullable().meta({ description: "null without losses" }),
    total_r: z.number(),
    expectancy_r: z.number(),
    max_drawdown_r: z.number(),
    avg_confidence: Probability.nullable(),
    first_ts: Timestamp.nullable(),
    last_ts: Timestamp.nullable(),
  })
  .meta({ id: "TrackRecord" });

export const Performance = z
  .strictObject({
    days: z.int(),
    count: z.int(),
    items: z.array(TrackRecord),
  })
  .meta({ id: "Performance" });

/** Default number of days over which the quality of models is measured. */
export const DEFAULT_QUALITY_DAYS = 90;

export const CalibrationQuery = z.object({
  days: intParam({ min: 1, max: 365, default: DEFAULT_QUALITY_DAYS }),
  symbol: symbolFilter(),
  tf_code: timeframeFilter(),
  bins: intParam({ min: 5, max: 20, default: 10 }),
  expand: z.enum(["slots", "ranges"], "must be slots or ranges").optional(),
});

export const CalibrationStatus = z.enum(["ok", "drifting", "insufficient"]);

const calibrationFields = {
  symbol: SymbolCode,
  tf_code: TimeframeCode,
  model_v: z.string(),
  n: z.int(),
  ece: z.number().nullable(),
  brier: z.number().nullable(),
  brier_baseline: z.number().nullable(),
  accuracy: z.number().nullable(),
  avg_confidence: Probability.nullable(),
  status: CalibrationStatus,
  bins: z.array(
    z.strictObject({
      lo: z.number(),
      hi: z.number(),
      n: z.int(),
      avg_confidence: Probability.nullable(),
      hit_rate: Probability.nullable(),
    }),
  ),
};

export const ModelCalibration = z.strictObject(calibrationFields).meta({ id: "ModelCalibration" });

/** The `model_v` of a row that covers all models of a slot. */
export const ALL_MODELS = "*";

export const SlotCalibration = z
  .strictObject({
    ...calibrationFields,
    model_v: z
      .literal(ALL_MODELS)
      .meta({ description: "All models of the slot in order of time, at most the newest 5,000 forecasts" }),
    ece_noise: z.number().nullable().meta({
      description:
        "The ECE that perfect forecasts with the same number and probabilities would exceed in 1 % of cases",
    }),
    reason: z.string().meta({ description: "Reason of the status" }),
  })
  .meta({ id: "SlotCalibration" });

const share = z.number().min(0).max(1);
const QuantileShares = z
  .strictObject({ p10: share, p50: share, p80: share, p90: share })
  .meta({ id: "QuantileShares", description: "Share of the moves that stayed within each quantile" });

export const RangeCoverage = z
  .strictObject({
    symbol: SymbolCode,
    tf_code: TimeframeCode,
    n: z.int().meta({ description: "Ranges whose horizon has closed" }),
    between_p10_p90: share.meta({
      description: "Share of the larger moves that ended between p10 and p90; the target is 0.8",
    }),
    between_ci95: z
      .tuple([share, share])
      .meta({ description: "Wilson interval; because horizons overlap, only one in 12 counts" }),
    either: QuantileShares,
    up: QuantileShares,
    down: QuantileShares,
  })
  .meta({ id: "RangeCoverage" });

export const CalibrationReport = z
  .strictObject({
    days: z.int(),
    count: z.int(),
    n_bins: z.int(),
    models: z.array(z.union([ModelCalibration, SlotCalibration])),
    ranges: z.array(RangeCoverage).optional().meta({ description: "With `expand=ranges`: a row per slot" }),
  })
  .meta({ id: "CalibrationReport" });
