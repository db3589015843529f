import type { z } from "zod";
import type { ClientHistory } from "@/db/queries/diagnostics";
import { type Scope, scopeIncludes } from "@/lib/access/plans";
import { MINUTE_MS } from "@/lib/time";
import type { PlanTier } from "@/lib/vocabulary";
import type { Finding as FindingSchema } from "@/lib/wire/contracts/ea-status";

export type Finding = z.output<typeof FindingSchema>;

export interface ClientFacts {
  planTier: PlanTier;
  scope: Scope;
  history: ClientHistory;
  /** Times of the newest polls, oldest first, epoch ms. */
  polls: readonly number[];
  /** Whether the newest poll carried If-None-Match. */
  conditional: boolean;
  /** Slots that were asked for and refused, as `EURUSD/M5`. */
  refusedSlots: readonly string[];
  nExpectedSlots: number;
  nFreshSlots: number;
}

const FAST_SECONDS = 5;
const SLOW_MINUTES = 15;
const MIN_INTERVALS = 4;
/** First reports come within seconds of the opening, so a median this far off means a wrong clock, not a delay. */
const AHEAD_MINUTES = 2;

/** Findings about a client, the gravest first, each with its remedy. Pure. */
export function findProblems(facts: ClientFacts): Finding[] {
  const found = [
    rejectedReports(facts),
    clockOffset(facts),
    hiddenByPlan(facts),
    staleSlots(facts),
    pollingRhythm(facts),
  ].filter((finding) => finding !== null);
  const order = ["error", "warning", "info"];
  return found.sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

function rejectedReports({ history }: ClientFacts): Finding | null {
  if (!history.lastRejection) return null;
  const { field, msg } = history.lastRejection;
  const reports = history.nRejected24h === 1 ? "1 report was" : `${history.nRejected24h} reports were`;
  return {
    code: "reports_rejected",
    severity: "error",
    message: `${reports} refused in the last 24 hours; the newest because "${field}" ${msg}.`,
    fix: `Correct "${field}" in what the EA sends and report the position again: a repeated ticket is safe.`,
  };
}

function clockOffset({ history }: ClientFacts): Finding | null {
  const ahead = history.openedAheadMinutes;
  if (history.nClockSuspect === 0 && (ahead === null || ahead <= AHEAD_MINUTES)) return null;
  const by =
    ahead !== null && ahead > AHEAD_MINUTES
      ? `, typically ${Math.round(ahead)} minutes ahead of the clock here`
      : "";
  return {
    code: "clock_skew",
    severity: "warning",
    message: `Reported times look like the broker's server time sent as UTC${by}.`,
    fix: "Send times in UTC: in MQL5 use TimeGMT(), or take TimeTradeServer() less its offset from TimeGMT().",
  };
}

function hiddenByPlan({ planTier, scope, history, refusedSlots }: ClientFacts): Finding | null {
  const traded = history.symbols.filter(
    (symbol) => scope.symbols !== null && !scope.symbols.includes(symbol),
  );
  const refused = refusedSlots.filter((slot) => {
    const [symbol = "", timeframe = ""] = slot.split("/");
    return !scopeIncludes(scope, symbol, timeframe);
  });
  const hidden = [...new Set([...traded, ...refused])];
  if (hidden.length === 0) return null;
  return {
    code: "plan_hides_symbols",
    severity: "warning",
    message: `The EA asks for or trades ${hidden.join(", ")}, which this key (${planTier}) does not include.`,
    fix: `Use ${scope.symbols?.join(", ") ?? "any symbol"} on ${scope.timeframes?.join(", ") ?? "any timeframe"}, or change the plan.`,
  };
}

function staleSlots({ nExpectedSlots, nFreshSlots }: ClientFacts): Finding | null {
  if (nFreshSlots >= nExpectedSlots) return null;
  return {
    code: "signals_stale",
    severity: "warning",
    message: `${nExpectedSlots - nFreshSlots} of ${nExpectedSlots} slots have no fresh signal just now.`,
    fix: "This is on our side: /api/status shows which. Ask with expand=validity and do not follow a stale signal.",
  };
}

function rhythmWords(medianMs: number): string {
  const seconds = Math.round(medianMs / 1000);
  if (seconds < 1) return "more than once a second";
  return seconds === 1 ? "every second" : `every ${seconds} seconds`;
}

function pollingRhythm({ polls, conditional }: ClientFacts): Finding | null {
  const intervals = polls.slice(1).map((at, i) => at - (polls[i] ?? at));
  if (intervals.length < MIN_INTERVALS) return null;
  const medianMs = intervals.toSorted((a, b) => a - b)[Math.floor(intervals.length / 2)] ?? 0;
  if (medianMs < FAST_SECONDS * 1000) {
    return {
      code: "polling_fast",
      severity: "info",
      message: `The EA reads signals ${rhythmWords(medianMs)}; they change when a candle closes.`,
      fix: conditional
        ? "Once a minute is enough and leaves the request limit to other calls."
        : "Once a minute is enough. Sending If-None-Match with the last ETag also saves the transfer.",
    };
  }
  if (medianMs > SLOW_MINUTES * MINUTE_MS) {
    return {
      code: "polling_slow",
      severity: "warning",
      message: `The EA reads signals only every ${Math.round(medianMs / MINUTE_MS)} minutes and may see them late.`,
      fix: "Poll /api/scan once a minute, for example from OnTimer with EventSetTimer(60).",
    };
  }
  return null;
}
