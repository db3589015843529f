import { z } from "zod";
import { parseBrokerDate } from "@/lib/market/broker-dates";
import { parseSymbol } from "@/lib/market/symbols";
import { parseTimeframe, UNKNOWN_TIMEFRAME_MESSAGE } from "@/lib/market/timeframes";
import { MINUTE_MS } from "@/lib/time";
import type { Timeframe } from "@/lib/vocabulary";
import { booleanParam } from "@/lib/wire/params";
import { Direction } from "./shared";

/** Maximum number of items of a call. */
export const MAX_ITEMS = 5000;

const symbol = z.string().transform((value, context) => {
  const code = parseSymbol(value);
  if (code) return code;
  context.addIssue({ code: "custom", message: "must be a symbol" });
  return z.NEVER;
});

const timeframe = z.string().transform((value, context): Timeframe => {
  const code = parseTimeframe(value);
  if (code) return code;
  context.addIssue({ code: "custom", message: UNKNOWN_TIMEFRAME_MESSAGE });
  return z.NEVER;
});

const instant = z
  .union([z.string(), z.number()], "must be a date and time")
  .transform((value, context): Date => {
    const date = parseBrokerDate(value);
    if (date.ok && date.at) return date.at;
    context.addIssue({ code: "custom", message: date.ok ? "must be a date and time" : date.reason });
    return z.NEVER;
  });

const CLOCK_SKEW_MS = 5 * MINUTE_MS;

/**
 * Open time of a candle, at most five minutes ahead of the service's clock: a candle in the future would count as the
 * newest and stay fresh too long.
 */
const opening = instant.refine(
  (at) => at.getTime() <= Date.now() + CLOCK_SKEW_MS,
  "lies ahead: send the opening time of the candle in UTC",
);

/**
 * Open time of a candle, truncated to the minute, because candles open at whole minutes and seconds are a delay of the
 * sender.
 */
const candleOpening = opening.transform((at) => new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS));

const price = z.number("must be a number").positive("must be above 0").max(1e12, "is too large");
const probability = z
  .number("must be a number")
  .min(0, "must be between 0 and 1")
  .max(1, "must be between 0 and 1");
const version = z
  .string("must be a string")
  .trim()
  .min(1, "must not be empty")
  .max(120, "must have at most 120 characters");

/** A schema that also accepts the field `timeframe` under the name `tf_code`. */
function withTimeframe<S extends z.ZodObject>(schema: S) {
  return z.preprocess((item) => {
    if (item === null || typeof item !== "object" || !("tf_code" in item) || "timeframe" in item) return item;
    const { tf_code, ...rest } = item;
    return { ...rest, timeframe: tf_code };
  }, schema);
}

const list = <S extends z.ZodType>(item: S) =>
  z.object({ items: z.array(item, "must be a list").max(MAX_ITEMS, `must have at most ${MAX_ITEMS} items`) });

export const CandleItem = z
  .object({
    symbol,
    timeframe,
    ts: candleOpening,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: z.number().min(0, "must not be negative").nullish(),
  })
  .refine((candle) => candle.high >= Math.max(candle.open, candle.close), {
    path: ["high"],
    message: "is below open or close",
  })
  .refine((candle) => candle.low <= Math.min(candle.open, candle.close), {
    path: ["low"],
    message: "is above open or close",
  });

export const ModelItem = z.object({
  symbol,
  timeframe,
  model_v: version,
  auc_wf: probability.nullish(),
  pf_wf: z.number("must be a number").min(0, "must not be negative").nullish(),
  is_active: z.boolean(),
  trained_at: instant,
  class_freq: z.tuple([probability, probability, probability]).nullish(),
  feature_stats: z
    .record(
      z.string().max(80),
      z.object({
        edges: z.array(z.number()).max(100),
        shares: z.array(probability).max(101),
        nullShare: probability.optional(),
      }),
    )
    .nullish(),
});

/** Longest horizon of a signal with its own levels, in candles: that of the service's rule. */
const HORIZON_CANDLES = 12;

export const SignalItem = z
  .object({
    symbol,
    timeframe,
    signal: Direction,
    confidence: probability,
    prob_buy: probability,
    prob_sell: probability,
    prob_no: probability,
    regime: z
      .string("must be a string")
      .trim()
      .min(1, "must not be empty")
      .max(40, "must have at most 40 characters")
      .toUpperCase(),
    expected_rr: z.number("must be a number").min(0, "must not be negative").max(1000, "is too large"),
    ts: candleOpening,
    model_v: version,
    stop: price.nullish(),
    target: price.nullish(),
    horizon_candles: z
      .int("must be a whole number")
      .min(1, `must be from 1 to ${HORIZON_CANDLES}`)
      .max(HORIZON_CANDLES, `must be from 1 to ${HORIZON_CANDLES}`)
      .nullish(),
  })
  .refine(({ stop, signal }) => stop == null || signal !== "NO_TRADE", {
    path: ["stop"],
    message: "must be left out where the signal is NO_TRADE",
  })
  .refine(({ stop, target }) => stop != null || target == null, {
    path: ["target"],
    message: "needs a stop",
  })
  .refine(({ stop, horizon_candles: horizon }) => stop != null || horizon == null, {
    path: ["horizon_candles"],
    message: "needs a stop",
  })
  .refine(
    ({ stop, target, signal }) =>
      stop == null || target == null || (signal === "BUY" ? stop < target : stop > target),
    { path: ["target"], message: "must lie above the stop of a BUY and below that of a SELL" },
  )
  .refine((signal) => Math.abs(signal.prob_buy + signal.prob_sell + signal.prob_no - 1) <= 0.02, {
    path: ["prob_no"],
    message: "the three probabilities must add up to 1",
  });

export const FeatureItem = z.object({
  symbol,
  timeframe,
  ts: candleOpening,
  model_v: version,
  values: z.record(
    z.string().min(1, "must not be empty").max(80, "must have at most 80 characters"),
    z.number("must be a number or null").nullable(),
    "must be an object of numbers",
  ),
});

export const CandleItemWithTimeframe = withTimeframe(CandleItem);

export const IngestCandlesBody = list(CandleItemWithTimeframe);
export const IngestModelsBody = list(withTimeframe(ModelItem));
export const IngestSignalsBody = list(withTimeframe(SignalItem));
export const IngestFeaturesBody = list(withTimeframe(FeatureItem));

/** Query of every ingest operation. With `check=true` the request is validated and nothing is stored. */
export const IngestQuery = z.object({ check: booleanParam({ default: false }) });

export const IngestAnswer = z
  .strictObject({ ok: z.literal(true), accepted: z.int(), duplicates: z.int() })
  .meta({ id: "Ingested" });
