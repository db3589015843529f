import type { VisibleCloses, VisibleSignals } from "@/db/queries/slots";
import type { Scope } from "@/lib/access/plans";
import { timeframeMinutes } from "@/lib/market/timeframes";
import { addMinutes, MINUTE_MS } from "@/lib/time";
import { TIMEFRAMES, type Timeframe } from "@/lib/vocabulary";

/** Latest candle close whose signal a scope may see at `now`; undefined: no limit. */
export const latestVisibleClose = (
  { delayCandles }: Pick<Scope, "delayCandles">,
  timeframe: Timeframe,
  now: Date,
): Date | undefined =>
  delayCandles === undefined ? undefined : addMinutes(now, -delayCandles * timeframeMinutes(timeframe));

/** `latestVisibleClose` for every timeframe; null: the scope has no delay. */
export const latestVisibleCloses = (scope: Pick<Scope, "delayCandles">, now: Date): VisibleCloses | null =>
  scope.delayCandles === undefined
    ? null
    : TIMEFRAMES.map((timeframe) => ({
        timeframe,
        closedBy: latestVisibleClose(scope, timeframe, now) ?? now,
      }));

/** The signals that a scope may see at `now`. */
export const signalVisibilityOf = (scope: Scope, now: Date): VisibleSignals => ({
  scope,
  closes: latestVisibleCloses(scope, now),
});

/**
 * The next whole minute. A delayed scope sees no further signal before it, because candle closes and delays are whole
 * minutes.
 */
export const nextMinute = (now: Date) => new Date((Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS);
