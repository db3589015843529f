import { z } from "zod";
import { booleanParam, intParam, numberParam } from "@/lib/wire/params";
import { symbolFilter, timeframeFilter } from "./filters";
import { Direction, PlanName, Probability, SymbolCode, TimeframeCode, Timestamp } from "./shared";

const signalFields = {
  symbol: SymbolCode,
  timeframe: TimeframeCode,
  signal: Direction,
  confidence: Probability,
  prob_buy: Probability,
  prob_sell: Probability,
  prob_no: Probability,
  regime: z.string().meta({ example: "TREND_UP" }),
  expected_rr: z.number(),
  ts: Timestamp,
  model_v: z.string(),
};

/** The expansions of `/api/scan`, in the order in which the OpenAPI document combines them. */
const EXPANSIONS = ["validity", "range", "levels"];

/** A list of expansions in the order of EXPANSIONS, each once. Other values stay as they are, for the enum to refuse. */
function inOrder(expand: unknown): unknown {
  const named = typeof expand === "string" ? expand.split(",") : [];
  if (named.length === 0 || !named.every((name) => EXPANSIONS.includes(name))) return expand;
  return EXPANSIONS.filter((name) => named.includes(name)).join(",");
}

export const ScanQuery = z.object({
  min_confidence: numberParam({ min: 0, max: 1, default: 0 }),
  expand: z
    .preprocess(
      inOrder,
      z.enum(
        [
          "validity",
          "range",
          "validity,range",
          "levels",
          "validity,levels",
          "range,levels",
          "validity,range,levels",
        ],
        "must be validity, range or levels, or several of them separated by commas",
      ),
    )
    .optional(),
  /** Long polling: seconds to wait until the list differs from the tag in If-None-Match. */
  wait: intParam({ min: 0, max: 55, default: 0 }),
});

/** Fields of `expand=validity`. With them a client can reject an old signal, and name in its reports the signal that it traded. */
const validityFields = {
  pred_id: z.int(),
  valid_until: Timestamp,
  age_minutes: z.number(),
  stale: z.boolean(),
};

export const ScanItem = z.strictObject(signalFields).meta({ id: "Signal" });
export const ScanItemWithValidity = z
  .strictObject({ ...signalFields, ...validityFields })
  .meta({ id: "SignalWithValidity" });

const distance = z.number().meta({ description: "Distance from `close`, in price" });
const RangeQuantiles = z.strictObject({ p10: distance, p50: distance, p80: distance, p90: distance }).meta({
  id: "RangeQuantiles",
  description: "Quantiles of the expected move: it stays within `p80` in 80 % of cases",
});

/** Forecast range of the price within the signal's horizon. */
export const SignalRange = z
  .strictObject({
    horizon_candles: z.int(),
    close: z.number().meta({ description: "Close of the signal's candle" }),
    either: RangeQuantiles.meta({ description: "The larger of the moves up and down" }),
    up: RangeQuantiles.meta({ description: "From the close up to the highest high" }),
    down: RangeQuantiles.meta({ description: "From the close down to the lowest low" }),
  })
  .meta({ id: "SignalRange" });

const rangeFields = {
  range: SignalRange.nullable().meta({
    description:
      "Range forecast for the signal's candle. It is added shortly after the signal; null until then, or if there is none",
  }),
};

export const ScanItemWithRange = z
  .strictObject({ ...signalFields, ...rangeFields })
  .meta({ id: "SignalWithRange" });
export const ScanItemWithValidityAndRange = z
  .strictObject({ ...signalFields, ...validityFields, ...rangeFields })
  .meta({ id: "SignalWithValidityAndRange" });

/** Fields of `expand=levels`: the signal's own levels. Without an own stop, the outcome follows the service's rule. */
const levelsFields = {
  stop: z.number().nullable().meta({ description: "Stop as a price; null: the service's rule applies" }),
  target: z.number().nullable().meta({ description: "Target as a price; null if there is none" }),
  horizon_candles: z.int().nullable().meta({
    description: "Number of candles after which it ends at the close; null: the service's rule applies",
  }),
};

export const ScanItemWithLevels = z
  .strictObject({
    ...signalFields,
    ...z.object(validityFields).partial().shape,
    ...z.object(rangeFields).partial().shape,
    ...levelsFields,
  })
  .meta({ id: "SignalWithLevels", description: "With `expand=levels` and the other requested expansions" });

export const Scan = z
  .strictObject({
    items: z.array(
      z.union([
        ScanItem,
        ScanItemWithValidity,
        ScanItemWithRange,
        ScanItemWithValidityAndRange,
        ScanItemWithLevels,
      ]),
    ),
    plan_tier: PlanName,
    filtered_by_plan: z.boolean(),
  })
  .meta({ id: "Scan" });

export const SlotHistoryQuery = z.object({
  limit: intParam({ min: 1, max: 1000, default: 200 }),
  expand: z.enum(["levels"], "must be levels").optional(),
});

export const SlotHistory = z
  .array(
    z.strictObject({
      ts: Timestamp,
      signal: Direction,
      confidence: Probability,
      regime: z.string(),
      expected_rr: z.number(),
      ...z.object(levelsFields).partial().shape,
    }),
  )
  .meta({ id: "SlotHistory" });

export const AccountSignalsQuery = z.object({
  days: intParam({ min: 1, max: 90, default: 7 }),
  limit: intParam({ min: 1, max: 500, default: 50 }),
  include_no_trade: booleanParam({ default: false }),
});

export const AccountSignals = z
  .strictObject({
    count: z.int(),
    days: z.int(),
    signals: z.array(z.strictObject({ ...signalFields, created_at: Timestamp })),
  })
  .meta({ id: "AccountSignals" });

export const PredictionsQuery = z.object({
  symbol: symbolFilter(),
  tf_code: timeframeFilter(),
  days: intParam({ min: 1, max: 365, default: 7 }),
  limit: intParam({ min: 1, max: 1000, default: 500 }),
});

export const Predictions = z
  .strictObject({
    days: z.int(),
    count: z.int(),
    items: z.array(
      z.strictObject({
        date: z.iso.date().meta({ description: "UTC date of `ts`" }),
        symbol: SymbolCode,
        tf_code: TimeframeCode,
        model_v: z.string(),
        n_total: z.int(),
        n_buy: z.int(),
        n_sell: z.int(),
        n_no_trade: z.int(),
        directional_pct: z.number(),
        avg_confidence: Probability,
        avg_prob_buy: Probability,
        avg_prob_sell: Probability,
        avg_prob_no: Probability,
        avg_expected_rr: z.number(),
        regimes: z.record(z.string(), z.int()).meta({ example: { RANGE: 14, TREND_UP: 10 } }),
        first_ts: Timestamp,
        last_ts: Timestamp,
      }),
    ),
  })
  .meta({ id: "Predictions" });
