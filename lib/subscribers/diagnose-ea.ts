import type { z } from "zod";
import { db } from "@/db/client";
import { readClientHistory } from "@/db/queries/client-history";
import { readClock } from "@/db/queries/clock";
import { listOpenPauses, type Pause } from "@/db/queries/pauses";
import { countSignalsBySlot } from "@/db/queries/signal-windows";
import { listSlotStates, type SlotState } from "@/db/queries/slots";
import { getSubscription } from "@/db/queries/subscriptions";
import { listTerminals } from "@/db/queries/terminals";
import { describePauseTarget, touchesScope } from "@/lib/access/pauses";
import { type Scope, scopeIncludes } from "@/lib/access/plans";
import { assessSlots } from "@/lib/market/assess-slots";
import { matchBrokerSymbol } from "@/lib/market/symbols";
import { parseTimeframe } from "@/lib/market/timeframes";
import { memo } from "@/lib/runtime/memo";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { addDays, minutesBetween } from "@/lib/time";
import type { PlanTier } from "@/lib/vocabulary";
import type { EaDiagnostics, TerminalState } from "@/lib/wire/contracts/ea-status";
import { roundFigure } from "@/lib/wire/round";
import { readLastSeenAt } from "./account";
import { readClientCalls } from "./client-call-log";
import { type Diagnostic, findDiagnostics } from "./diagnostics";
import { eaStateAt } from "./ea-state";

const SHARED_FOR_MS = 1_000;

/** The subscription whose client is diagnosed, by its key or as chosen in the portal. */
export interface DiagnosedSubscription {
  subscriptionId: number;
  planTier: PlanTier;
  scope: Scope;
}

/** Whether a subscription's trading client is online, and how many slots of its scope have fresh signals. */
export async function diagnoseEa(
  subject: DiagnosedSubscription,
  now: Date,
): Promise<z.output<typeof EaDiagnostics>> {
  const [subscription, lastSeenAt, coverage] = await Promise.all([
    getSubscription(db(), subject.subscriptionId),
    readLastSeenAt(subject.subscriptionId),
    readFreshSlotCoverage(subject.scope, now),
  ]);
  const state = eaStateAt(lastSeenAt, now);
  return {
    online: state.online,
    last_heartbeat: lastSeenAt,
    mins_since: state.mins_since,
    account: { name: subscription.userName, tier: subject.planTier },
    slot_coverage: { expected: coverage.expected, active: coverage.active, pct: coverage.pct },
    recent_signals_24h: coverage.recentSignals24h,
    lag_minutes: coverage.lagMinutes,
  };
}

/** The named terminals of a subscription, the most recent call first. */
export async function listTerminalStates(
  subscriptionId: number,
  now: Date,
): Promise<z.output<typeof TerminalState>[]> {
  return (await listTerminals(db("heavy"), subscriptionId)).map((row) => {
    const { online } = eaStateAt(row.lastSeenAt, now);
    return {
      terminal: row.terminal,
      server: row.server,
      account: row.account,
      online,
      last_heartbeat: row.lastSeenAt,
      mins_since: roundFigure(Math.max(0, minutesBetween(row.lastSeenAt, now))),
      n_open: row.nOpen,
      n_closed: row.nClosed,
      n_not_traded: row.nNotTraded,
    };
  });
}

/** Diagnostics of a subscription's trading client: problems and possible improvements. */
export async function listDiagnostics(subject: DiagnosedSubscription, now: Date): Promise<Diagnostic[]> {
  const [history, coverage, calls, { states, pauses }] = await Promise.all([
    readClientHistory(db(), subject.subscriptionId),
    readFreshSlotCoverage(subject.scope, now),
    readClientCalls(subject.subscriptionId),
    readSlotFacts(),
  ]);
  const { polls, conditional, unservedSlots, contradictedTickets } = calls;
  const symbols = new Set(states.map(({ symbol }) => symbol));
  const served = new Set(states.map(({ symbol, timeframe }) => `${symbol}/${timeframe}`));
  const requested = unservedSlots.map((slot) => ({ requested: slot, meant: meantSlot(slot, symbols) }));
  return findDiagnostics({
    planTier: subject.planTier,
    scope: subject.scope,
    history,
    polls,
    conditional,
    refusedSlots: requested.map(({ requested, meant }) => meant ?? requested),
    unknownSlots: requested.filter(
      ({ requested, meant }) =>
        !served.has(requested) && (meant !== null || isIncluded(subject.scope, requested)),
    ),
    contradictedTickets,
    nExpectedSlots: coverage.expected,
    nFreshSlots: coverage.active,
    pauses: pauses
      .filter((pause) => touchesScope(pause, subject.scope))
      .map((pause) => ({ of: describePauseTarget(pause), reason: pause.reason })),
  });
}

function isIncluded(scope: Scope, slot: string): boolean {
  const [symbol = "", timeframe = ""] = slot.split("/");
  return scopeIncludes(scope, symbol, timeframe);
}

/** The slot that a request probably means, as `EURUSD/H1`; null: no symbol of this service or no timeframe fits. */
function meantSlot(requested: string, symbols: ReadonlySet<string>): string | null {
  const [, name = "", tf = ""] = /^(.*)\/([^/]*)$/s.exec(requested) ?? [];
  const symbol = matchBrokerSymbol(name, symbols, settingsCache().now.aliases);
  const timeframe = parseTimeframe(tf);
  return symbol === null || !symbols.has(symbol) || timeframe === null ? null : `${symbol}/${timeframe}`;
}

export interface FreshSlotCoverage {
  /** Slots in scope with an active model. */
  expected: number;
  /** Of those, the slots with a fresh newest signal. */
  active: number;
  pct: number;
  recentSignals24h: number;
  /** Open-market age, in minutes, of the newest signal in scope; null when there is none. */
  lagMinutes: number | null;
}

interface SlotFacts {
  states: SlotState[];
  counts: Map<number, number>;
  pauses: Pause[];
  byScope: Map<string, FreshSlotCoverage>;
}

const readSlotFacts = memo("coverage", { ttlMs: SHARED_FOR_MS }, async (): Promise<SlotFacts> => {
  const now = await readClock(db());
  const [states, counts, pauses] = await Promise.all([
    listSlotStates(db()),
    countSignalsBySlot(db(), addDays(now, -1)),
    listOpenPauses(db()),
  ]);
  return { states, counts, pauses, byScope: new Map() };
});

/** How many slots of a scope have fresh signals. Calls within one second share one read. */
export async function readFreshSlotCoverage(scope: Scope, now: Date): Promise<FreshSlotCoverage> {
  const facts = await readSlotFacts();
  const known = facts.byScope.get(scope.id);
  if (known) return known;
  const coverage = coverageOf(facts, scope, now);
  facts.byScope.set(scope.id, coverage);
  return coverage;
}

function coverageOf(facts: SlotFacts, scope: Scope, now: Date): FreshSlotCoverage {
  const visible = facts.states.filter((slot) => scopeIncludes(scope, slot.symbol, slot.timeframe));
  const { totalActiveSlots: expected, stalePredCount, predLagMinutes } = assessSlots(visible, now);
  const active = expected - stalePredCount;
  return {
    expected,
    active,
    pct: expected === 0 ? 0 : roundFigure((100 * active) / expected),
    recentSignals24h: visible.reduce((sum, slot) => sum + (facts.counts.get(slot.slotId) ?? 0), 0),
    lagMinutes: predLagMinutes,
  };
}
