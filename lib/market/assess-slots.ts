import type { CalendarName, HealthState, Timeframe } from "@/lib/vocabulary";
import { openMinutesBetween } from "./calendar";
import { slotFreshness } from "./freshness";
import { candleCloseAt, timeframeMinutes } from "./timeframes";

/** Why the service is not `ok`: a code for programs and a sentence for display. */
export interface HealthReason {
  /** Empty in reasons that an earlier release stored. */
  code: string;
  text: string;
}

/** A slot's champion and the times of its newest candle and signal. */
export interface SlotState {
  symbol: string;
  timeframe: Timeframe;
  calendar: CalendarName;
  /** null: no active model. */
  modelV: string | null;
  lastCandleTs: Date | null;
  lastSignalTs: Date | null;
}

/** When a lag or a share of stale slots changes the state. Settings of the operator. */
export interface HealthThresholds {
  /** `down` when the newest prediction lags more than factor x T + minutes. */
  downLagFactor: number;
  downLagMinutes: number;
  /** `degraded` when a lag is over T + this. */
  degradedLagMinutes: number;
  /** `degraded` when more than this share of the active slots is stale. */
  degradedStaleShare: number;
}

export const HEALTH_THRESHOLDS: Readonly<HealthThresholds> = {
  downLagFactor: 4,
  downLagMinutes: 60,
  degradedLagMinutes: 30,
  degradedStaleShare: 0.1,
};

export type HealthStatus = HealthState;

export interface SlotsAssessment {
  status: HealthStatus;
  lastPrediction: Date | null;
  lastCandle: Date | null;
  predLagMinutes: number | null;
  btcLagMinutes: number | null;
  stalePredCount: number;
  totalActiveSlots: number;
  /** Worst first; empty when all is well. */
  reasons: HealthReason[];
}

/**
 * State of the service at `now`. T is the shortest timeframe among active slots. `ledgerRefusal`: why no
 * checkpoint of the ledger is signed.
 */
export function assessSlots(
  states: readonly SlotState[],
  now: Date,
  thresholds: HealthThresholds = HEALTH_THRESHOLDS,
  ledgerRefusal: string | null = null,
): SlotsAssessment {
  const active = states.filter((state) => state.modelV !== null);
  const stale = active.filter((state) => slotFreshness({ ...state, lastTs: state.lastSignalTs, now }).stale);
  const lastPrediction = newest(states.map((state) => state.lastSignalTs));
  // Only the slots with the newest signal count, so that a closed market does not hide an open one without new signals.
  const newestSlots = states.filter((state) => state.lastSignalTs?.getTime() === lastPrediction?.getTime());
  const predLagMinutes = shortestLag(newestSlots, (state) => state.lastSignalTs, now);
  const btc = states.filter((state) => state.symbol.startsWith("BTC"));
  const btcActive = btc.filter((state) => state.modelV !== null);
  const btcLagMinutes = shortestLag(btc, (state) => state.lastCandleTs, now);

  const down: HealthReason[] = [];
  const degraded: HealthReason[] = [];
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
  calendar: SlotState["calendar"];
  timeframe: Timeframe;
}

/** Open-market minutes since the newest candle closed, of those whose open time `tsOf` returns; null without any. */
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
