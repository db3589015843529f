import type { SeenCloses } from "@/db/queries/slots";
import type { Scope } from "@/lib/access/plans";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { addMinutes, MINUTE_MS } from "@/lib/time";
import { TIMEFRAMES, type Timeframe } from "@/lib/vocabulary";

/** By when a candle must have closed for its signal to be seen by a scope at `now`; undefined: whenever. */
export const closeSeenBy = (
  { delayCandles }: Pick<Scope, "delayCandles">,
  timeframe: Timeframe,
  now: Date,
): Date | undefined =>
  delayCandles === undefined ? undefined : addMinutes(now, -delayCandles * timeframeMinutes(timeframe));

/** The same for every timeframe; null for a scope without a delay. */
export const closesSeenBy = (scope: Pick<Scope, "delayCandles">, now: Date): SeenCloses | null =>
  scope.delayCandles === undefined
    ? null
    : TIMEFRAMES.map((timeframe) => ({ timeframe, closedBy: closeSeenBy(scope, timeframe, now) ?? now }));

/** When more may be seen with a delay: candles close on whole minutes, and so does a delay of candles after them end. */
export const nextMinute = (now: Date) => new Date((Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS);
