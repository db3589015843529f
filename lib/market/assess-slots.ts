import type { CalendarName, HealthState, Timeframe } from "@/lib/vocabulary";
import { openMinutesBetween } from "./calendar";
import { slotFreshness } from "./freshness";
import { candleCloseAt, timeframeMinutes } from "./timeframes";

/** Why the service is not `ok`: a code for programs and a sentence for display. */
export interface ServiceHealthReason {
  /** Empty in reasons that an earlier release stored. */
  code: string;
  text: string;
}

/** A slot's champion, and the open times of its newest candle and of the candle of its newest live signal. */
export interface SlotHealthFacts {
  symbol: string;
  timeframe: Timeframe;
  calendar: CalendarName;
  /** null: no active model. */
  modelV: string | null;
  lastCandleTs: Date | null;
  lastSignalTs: Date | null;
}

/**
 * Limits from which old signals, stale slots or old BTC candles make the service `degraded` or `down`. The operator can
 * change them.
 */
export interface HealthThresholds {
  /**
   * `down` if the newest signal is older than `downLagFactor` x the shortest active timeframe + `downLagMinutes`, in
   * open-market minutes since its candle closed.
   */
  downLagFactor: number;
  downLagMinutes: number;
  /**
   * `degraded` if the newest signal is older than the shortest active timeframe plus this, or the newest BTC candle
   * older than the shortest active BTC timeframe plus this (of all BTC timeframes if none is active), in open-market
   * minutes.
   */
  degradedLagMinutes: number;
  /** `degraded` if more than this share of the active slots is stale; `down` if all are stale, whatever the share. */
  degradedStaleShare: number;
}

export const DEFAULT_HEALTH_THRESHOLDS: Readonly<HealthThresholds> = {
  downLagFactor: 4,
  downLagMinutes: 60,
  degradedLagMinutes: 30,
  degradedStaleShare: 0.1,
};

export type HealthStatus = HealthState;

export interface SlotsAssessment {
  status: HealthStatus;
  /** Open time of the candle of the newest live signal; null without a signal. */
  lastPrediction: Date | null;
  /** Open time of the newest candle, which may be forming; null without a candle. */
  lastCandle: Date | null;
  /** Open-market minutes since the candle of the newest signal closed; null without a signal. */
  predLagMinutes: number | null;
  /** Open-market minutes since the newest BTC candle closed; null without a BTC candle. */
  btcLagMinutes: number | null;
  /** Number of active slots that are stale. */
  stalePredCount: number;
  /** Number of slots with an active model. */
  totalActiveSlots: number;
  /** Reasons for `down` first, then those for `degraded`; empty if the status is `ok`. */
  reasons: ServiceHealthReason[];
}

/**
 * Assesses the health of the service at `now` from these slots. `ledgerRefusal`: why the newest attempt to sign a
 * checkpoint of the ledger was refused, which makes the service `degraded`; null if it was not refused.
 */
export function assessSlots(
  states: readonly SlotHealthFacts[],
  now: Date,
  thresholds: HealthThresholds = DEFAULT_HEALTH_THRESHOLDS,
  ledgerRefusal: string | null = null,
): SlotsAssessment {
  const active = states.filter((state) => state.modelV !== null);
  const stale = active.filter((state) => slotFreshness({ ...state, lastTs: state.lastSignalTs, now }).stale);
  const lastPrediction = newest(states.map((state) => state.lastSignalTs));
  // Only slots with the newest signal count: a slot of a closed market must not hide that open markets get no signals.
  const newestSlots = states.filter((state) => state.lastSignalTs?.getTime() === lastPrediction?.getTime());
  const predLagMinutes = shortestLag(newestSlots, (state) => state.lastSignalTs, now);
  const btc = states.filter((state) => state.symbol.startsWith("BTC"));
  const btcActive = btc.filter((state) => state.modelV !== null);
  const btcLagMinutes = shortestLag(btc, (state) => state.lastCandleTs, now);

  const down: ServiceHealthReason[] = [];
  const degraded: ServiceHealthReason[] = [];
  const shortest = shortestTimeframe(active);
  if (active.length === 0) degraded.push({ code: "no_active_slots", text: "no slot has an active model" });
  if (active.length > 0 && stale.length === active.length) {
    down.push({
      code: "all_slots_stale",
      text:
        lastPrediction !== null
          ? `none of the ${active.length} active slots has a fresh signal`
          : active.length === 1
            ? "the active slot waits for its first signal"
            : `the ${active.length} active slots wait for their first signal`,
    });
  } else if (stale.length > thresholds.degradedStaleShare * active.length) {
    degraded.push({
      code: "stale_slots",
      text: `${stale.length} of ${active.length} active slots have no fresh signal`,
    });
  }
  if (shortest !== null && predLagMinutes !== null) {
    const late = {
      code: "predictions_lag",
      text: `the newest signal is ${Math.round(predLagMinutes)} open-market minutes old`,
    };
    if (predLagMinutes > thresholds.downLagFactor * shortest + thresholds.downLagMinutes) down.push(late);
    else if (predLagMinutes > shortest + thresholds.degradedLagMinutes) degraded.push(late);
  }
  const btcShortest = shortestTimeframe(btcActive) ?? shortestTimeframe(btc);
  if (
    btcShortest !== null &&
    btcLagMinutes !== null &&
    btcLagMinutes > btcShortest + thresholds.degradedLagMinutes
  ) {
    degraded.push({
      code: "candles_lag",
      text: `the newest BTC candle is ${Math.round(btcLagMinutes)} minutes old`,
    });
  }

  if (ledgerRefusal !== null) degraded.push({ code: "ledger_refused", text: ledgerRefusal });

  return {
    status: down.length > 0 ? "down" : degraded.length > 0 ? "degraded" : "ok",
    lastPrediction,
    lastCandle: newest(states.map((state) => state.lastCandleTs)),
    predLagMinutes,
    btcLagMinutes,
    stalePredCount: stale.length,
    totalActiveSlots: active.length,
    reasons: [...down, ...degraded],
  };
}

interface Timed {
  calendar: SlotHealthFacts["calendar"];
  timeframe: Timeframe;
}

/**
 * The smallest number of open-market minutes since a candle of these slots closed; null without candles. `tsOf` returns
 * the open time of a slot's candle.
 */
function shortestLag<S extends Timed>(
  states: S[],
  tsOf: (state: S) => Date | null,
  now: Date,
): number | null {
  const lags = states.flatMap((state) => {
    const ts = tsOf(state);
    return ts ? [openMinutesBetween(state.calendar, candleCloseAt(ts, state.timeframe), now)] : [];
  });
  return lags.length === 0 ? null : Math.round(Math.min(...lags) * 100) / 100;
}

function shortestTimeframe(states: Timed[]): number | null {
  return states.length === 0 ? null : Math.min(...states.map((state) => timeframeMinutes(state.timeframe)));
}

function newest(times: (Date | null)[]): Date | null {
  return times.reduce((best, at) => (at && (!best || at > best) ? at : best), null);
}
