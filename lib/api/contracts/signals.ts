import { z } from "zod";
import { booleanParam, intParam, numberParam } from "../parse";
import { Direction, Plan, Probability, SymbolCode, TimeframeCode, Timestamp } from "./shared";

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

export const ScanQuery = z.object({
  min_confidence: numberParam({ min: 0, max: 1, default: 0 }),
  expand: z.enum(["validity"], "must be validity").optional(),
});

/** Opt-in fields with which a client can refuse an old signal and report what it followed. */
const validityFields = {
  pred_id: z.int(),
  valid_until: Timestamp,
  age_minutes: z.number(),
  stale: z.boolean(),
};

export const ScanItem = z.strictObject(signalFields);
export const ScanItemWithValidity = z.strictObject({ ...signalFields, ...validityFields });

export const Scan = z.strictObject({
  items: z.array(z.union([ScanItem, ScanItemWithValidity])),
  plan_tier: Plan,
  filtered_by_plan: z.boolean(),
});

export const SlotHistoryQuery = z.object({ limit: intParam({ min: 1, max: 1000, default: 200 }) });

export const SlotHistory = z.array(
  z.strictObject({
    ts: Timestamp,
    signal: Direction,
    confidence: Probability,
    regime: z.string(),
    expected_rr: z.number(),
  }),
);

export const AccountSignalsQuery = z.object({
  days: intParam({ min: 1, max: 90, default: 7 }),
  limit: intParam({ min: 1, max: 500, default: 50 }),
  include_no_trade: booleanParam({ default: false }),
});
