import type { z } from "zod";
import type { ClientHistory } from "@/db/queries/client-history";
import { planTitle, type Scope, scopeIncludes } from "@/lib/access/plans";
import { MINUTE_MS } from "@/lib/time";
import type { PlanTier } from "@/lib/vocabulary";
import type { EaFinding as FindingSchema } from "@/lib/wire/contracts/ea-status";
import type { ContradictedTicket } from "./client-call-log";

export type Diagnostic = z.output<typeof FindingSchema>;

export interface ClientFacts {
  planTier: PlanTier;
  scope: Scope;
  history: ClientHistory;
  /** Times of the newest polls, oldest first, epoch ms. */
  polls: readonly number[];
  /** Whether the newest poll carried If-None-Match. */
  conditional: boolean;
  /** Requested slots without signals, such as `EURUSD/M5`; each as the slot that was probably meant, if one fits. */
  refusedSlots: readonly string[];
  /** Requested slots that do not exist, each with the slot that was probably meant; null: none fits. */
  unknownSlots: readonly { requested: string; meant: string | null }[];
  /** Tickets whose later report names another position. */
  contradictedTickets: readonly ContradictedTicket[];
  nExpectedSlots: number;
  nFreshSlots: number;
  /** Pauses in force that touch the scope: their target and reason. */
  pauses: readonly { of: string; reason: string }[];
}

/** The field name of a rejection about the whole report, such as truncated JSON. */
const WHOLE_BODY = "body";
const FAST_SECONDS = 5;
const SLOW_MINUTES = 15;
const MIN_INTERVALS = 4;
/** Maximum number of tickets that a message names. */
const MAX_NAMED = 5;
/**
 * EAs send the first report within seconds of the opening, so a median opening time this far ahead means a wrong clock.
 */
const AHEAD_MINUTES = 2;

/** Diagnostics of a client, the gravest first, each with its remedy. Pure. */
export function findDiagnostics(facts: ClientFacts): Diagnostic[] {
  return RULES.flatMap((check) => check(facts) ?? []);
}

/** A rule: what it detects in the facts (null: nothing), and its message. */
function rule<T>({
  code,
  severity,
  finds,
  message,
  fix,
}: Pick<Diagnostic, "code" | "severity"> & {
  finds: (facts: ClientFacts) => T | null;
  message: (found: T, facts: ClientFacts) => string;
  fix: (found: T, facts: ClientFacts) => string;
}): (facts: ClientFacts) => Diagnostic | null {
  return (facts) => {
    const found = finds(facts);
    return found === null ? null : { code, severity, message: message(found, facts), fix: fix(found, facts) };
  };
}

/** The most severe first. */
const RULES = [
  rule({
    code: "reports_rejected",
    severity: "error",
    finds: ({ history }) => history.lastRejection,
    message: ({ field, msg }, { history: { nRejected24h: n } }) => {
      const newest = field === WHOLE_BODY ? `The report ${msg}` : `"${field}" ${msg}`;
      return n === 1
        ? `A position report was rejected in the last 24 hours. ${newest}.`
        : `${n} position reports were rejected in the last 24 hours. The newest: ${newest}.`;
    },
    fix: ({ field }) =>
      `Fix ${field === WHOLE_BODY ? "the report" : `"${field}"`} in your EA and send it again. Duplicates are harmless.`,
  }),
  rule({
    code: "ticket_contradicted",
    severity: "warning",
    finds: ({ contradictedTickets: found }) => (found.length > 0 ? found : null),
    message: (found) =>
      found
        .map(
          ({ ticket, stored, reported }) =>
            `Ticket ${ticket} is recorded as ${stored}, and a later report names it ${reported}.`,
        )
        .concat("Such a report counts for the recorded position.")
        .join(" "),
    fix: () =>
      "If several accounts use this key, send the header X-Terminal with every request, so that such a report is refused, and use one key per account whose tickets can be equal. Otherwise send the position's own symbol and signal when it closes.",
  }),
  rule({
    code: "closed_at_missing",
    severity: "warning",
    finds: ({ history: { closedWithoutTime: tickets } }) => (tickets.length > 0 ? tickets : null),
    message: (tickets) =>
      `${tickets.length === 1 ? "A position counts" : `${tickets.length} positions count`} as open, although ${
        tickets.length === 1 ? "its" : "their"
      } exit price or result was reported: ${
        tickets.length === 1 ? "ticket" : "tickets"
      } ${tickets.slice(0, MAX_NAMED).join(", ")}${tickets.length > MAX_NAMED ? " and others" : ""}.`,
    fix: () =>
      "Send closed_at, the time of the closing, too. For these tickets, send the report again with it.",
  }),
  rule({
    code: "clock_skew",
    severity: "warning",
    finds: ({ history: { nClockSuspect, openedAheadMinutes } }) => {
      const aheadMinutes = openedAheadMinutes ?? 0;
      return nClockSuspect > 0 || aheadMinutes > AHEAD_MINUTES ? { aheadMinutes } : null;
    },
    message: ({ aheadMinutes }) =>
      `Reported times look like the broker's server time sent as UTC${
        aheadMinutes > AHEAD_MINUTES
          ? `, typically ${Math.round(aheadMinutes)} minutes ahead of the clock here`
          : ""
      }.`,
    fix: () =>
      "Send times in UTC: in MQL5 use TimeGMT(), or take TimeTradeServer() less its offset from TimeGMT().",
  }),
  rule({
    code: "plan_hides_symbols",
    severity: "warning",
    finds: (facts) => {
      const hidden = hiddenByPlan(facts);
      return hidden.length > 0 ? hidden : null;
    },
    message: (hidden, { planTier }) =>
      `The EA asks for or trades ${hidden.join(", ")}, which your plan (${planTitle(planTier)}) does not include.`,
    fix: (_, { scope }) =>
      `Use ${scope.symbols?.join(", ") ?? "any symbol"} on ${scope.timeframes?.join(", ") ?? "any timeframe"}, or change the plan.`,
  }),
  rule({
    code: "unknown_slots",
    severity: "warning",
    finds: ({ unknownSlots }) => (unknownSlots.length > 0 ? unknownSlots : null),
    message: (unknown) =>
      `The EA asks for ${unknown.map(({ requested }) => requested).join(", ")}, which ${
        unknown.length === 1
          ? "does not exist here, so it gets no signals for it"
          : "do not exist here, so it gets no signals for them"
      }.`,
    fix: (unknown) => {
      const renamed = unknown.flatMap(({ requested, meant }) =>
        meant === null || meant === requested ? [] : [`${meant} instead of ${requested}`],
      );
      return renamed.length > 0
        ? `Ask for ${renamed.join(", ")}: a broker's own name is understood in reports only.`
        : "Ask for a symbol and timeframe that /api/scan lists.";
    },
  }),
  rule({
    code: "signals_paused",
    severity: "warning",
    finds: ({ pauses }) => (pauses.length > 0 ? pauses : null),
    message: (pauses) =>
      `Paused: ${pauses.map(({ of, reason }) => `${of} (${reason.replace(/[.\s]+$/, "")})`).join(", ")}.`,
    fix: () =>
      "You need to do nothing. Paused slots are left out of /api/scan until the pause ends. Open positions stay with your EA.",
  }),
  rule({
    code: "signals_stale",
    severity: "warning",
    finds: ({ nExpectedSlots, nFreshSlots }) =>
      nFreshSlots < nExpectedSlots ? nExpectedSlots - nFreshSlots : null,
    message: (n, { nExpectedSlots }) => `${n} of ${nExpectedSlots} slots have no fresh signal at present.`,
    fix: () =>
      "This is on our side; /api/status lists the slots. Ask with expand=validity, and do not follow a stale signal.",
  }),
  rule({
    code: "polling_slow",
    severity: "warning",
    finds: (facts) => pollingMs(facts, (ms) => ms > SLOW_MINUTES * MINUTE_MS),
    message: (ms) =>
      `The EA reads signals only every ${Math.round(ms / MINUTE_MS)} minutes and may see them late.`,
    fix: () => "Poll /api/scan once a minute, for example from OnTimer with EventSetTimer(60).",
  }),
  rule({
    code: "other_timeframe_labels",
    severity: "info",
    finds: ({ history: { otherLabels } }) => (otherLabels.length > 0 ? otherLabels : null),
    message: (labels) =>
      `Positions were reported with ${labels.length === 1 ? "the label" : "the labels"} ${labels.join(", ")} in place of a timeframe. They are recorded as sent.`,
    fix: (labels) =>
      labels.includes("0")
        ? "0 is PERIOD_CURRENT: send the chart's timeframe instead, in MQL _Period, so that results are grouped with their signals."
        : "This is right for range bars and custom charts. Otherwise send the chart's timeframe, such as H1, so that results are grouped with their signals.",
  }),
  rule({
    code: "polling_fast",
    severity: "info",
    finds: (facts) => pollingMs(facts, (ms) => ms < FAST_SECONDS * 1000),
    message: (ms) => `The EA reads signals ${rhythmWords(ms)}; they change when a candle closes.`,
    fix: (_, { conditional }) =>
      conditional
        ? "Once a minute is enough and leaves the request limit to other calls."
        : "Once a minute is enough. Sending If-None-Match with the last ETag also saves the transfer.",
  }),
];

/** Symbols traded and slots requested outside the scope. */
function hiddenByPlan({ scope, history, refusedSlots }: ClientFacts): string[] {
  const traded = history.symbols.filter(
    (symbol) => scope.symbols !== null && !scope.symbols.includes(symbol),
  );
  const refused = refusedSlots.filter((slot) => {
    const [symbol = "", timeframe = ""] = slot.split("/");
    return !traded.includes(symbol) && !scopeIncludes(scope, symbol, timeframe);
  });
  return [...new Set([...traded, ...refused])];
}

/** The median interval between polls if `odd` returns true for it; otherwise, or with too few polls, null. */
function pollingMs({ polls }: ClientFacts, odd: (ms: number) => boolean): number | null {
  const intervals = polls.slice(1).map((at, i) => at - (polls[i] ?? at));
  if (intervals.length < MIN_INTERVALS) return null;
  const medianMs = intervals.toSorted((a, b) => a - b)[Math.floor(intervals.length / 2)] ?? 0;
  return odd(medianMs) ? medianMs : null;
}

function rhythmWords(medianMs: number): string {
  const seconds = Math.round(medianMs / 1000);
  if (seconds < 1) return "more than once a second";
  return seconds === 1 ? "every second" : `every ${seconds} seconds`;
}
