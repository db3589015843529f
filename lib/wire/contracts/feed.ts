import { z } from "zod";
import { parseBrokerDate } from "@/lib/market/broker-dates";
import { brokerServerClock } from "@/lib/market/clock";
import { parseBrokerTimeframe, UNKNOWN_TIMEFRAME_MESSAGE } from "@/lib/market/timeframes";
import { SymbolCode, TimeframeCode, Timestamp } from "./shared";

const MAX_BARS = 500;

const timeframe = z.union([z.string(), z.number()], "must be a timeframe").transform((value, context) => {
  const code = parseBrokerTimeframe(value);
  if (code) return code;
  context.addIssue({ code: "custom", message: UNKNOWN_TIMEFRAME_MESSAGE });
  return z.NEVER;
});

const clock = z.string("must be a string").transform((value, context) => {
  const known = brokerServerClock(value.trim().toLowerCase());
  if (known) return known;
  context.addIssue({ code: "custom", message: "must be new_york, europe, utc, or an offset such as utc+2" });
  return z.NEVER;
});

/** A wall-clock time of the broker's server, stored in the UTC fields of a Date. */
const serverTime = z
  .union([z.string(), z.number()], "must be a date and time")
  .transform((value, context) => {
    const shown = parseBrokerDate(value);
    if (shown.ok && shown.at) return shown.at;
    context.addIssue({ code: "custom", message: shown.ok ? "must be a date and time" : shown.reason });
    return z.NEVER;
  });

const figure = z.number("must be a number");

export const PushBarsBody = z.object({
  symbol: z
    .string("must be a string")
    .trim()
    .min(2, "must have at least 2 characters")
    .max(64, "must have at most 64 characters"),
  timeframe,
  clock,
  server_time: serverTime,
  /** Each bar: open time in seconds on the clock of the broker's server, open, high, low, close, tick volume. */
  bars: z
    .array(z.tuple([figure, figure, figure, figure, figure, figure], "must be six numbers"), "must be a list")
    .max(MAX_BARS, `must have at most ${MAX_BARS} bars`),
  /**
   * Longer timeframes whose candles the service makes of these bars, for brokers whose own longer bars begin at other
   * times.
   */
  also: z.array(timeframe, "must be a list").max(4, "must have at most 4 timeframes").optional(),
});

export const PushBarsAnswer = z
  .strictObject({
    ok: z.literal(true),
    symbol: SymbolCode,
    timeframe: TimeframeCode,
    accepted: z.int(),
    duplicates: z.int(),
    refused: z.int(),
    /** Why the last refused bar was refused; null: none was. */
    reason: z.string().nullable(),
    /** Open time of the newest bar of the chart that this token has sent; null: none yet. */
    last_ts: Timestamp.nullable(),
    /** Open time of that newest bar in seconds on the clock of the broker's server; 0: none yet. */
    last_server_time: z.int(),
  })
  .meta({ id: "PushedBars" });
