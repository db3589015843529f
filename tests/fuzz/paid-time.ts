import {
  concurrentPlansPeriods,
  type PaidTime,
  type PlanExtent,
  remainingMsPerRow,
} from "@/lib/access/paid-time";
import { uniformSource } from "@/lib/engine/random";

/** Three plans of the service, each part of the next, and two plans of an operator that overlap them. */
export const PLAN_EXTENTS: readonly PlanExtent[] = [
  { name: "telegram", rank: 100, symbols: ["EURUSD", "GBPUSD", "XAUUSD"], timeframes: ["H1", "H4"] },
  { name: "forex", rank: 120, symbols: ["AUDUSD", "EURUSD", "USDJPY"], timeframes: null },
  { name: "gold", rank: 150, symbols: ["XAUUSD"], timeframes: null },
  { name: "basic", rank: 200, symbols: ["EURUSD", "GBPUSD", "XAUUSD"], timeframes: ["H1", "H4"] },
  { name: "pro", rank: 300, symbols: null, timeframes: null },
];
const DAY_MS = 86_400_000;
const EPOCH_MS = Date.UTC(2026, 0, 1);

/**
 * Draws ledgers of payments and graces, some unlimited or ended early, and checks the specified rules of paid time on
 * each. Throws with the seed of the first ledger that breaks a rule.
 */
export function checkPaidTime(seed: number, ledgers: number): void {
  for (let n = 0; n < ledgers; n++) {
    try {
      checkLedger(uniformSource(seed + n));
    } catch (error) {
      throw new Error(`seed ${seed + n}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

function checkLedger(random: () => number): void {
  const rows = Array.from({ length: 1 + Math.floor(random() * 7) }, () => drawRow(random));
  const stretches = concurrentPlansPeriods(rows, PLAN_EXTENTS);
  const text = JSON.stringify(stretches);
  const ledger = () => `\n${rows.map((row) => JSON.stringify(row)).join("\n")}\n${text}`;
  const hold = (isTrue: boolean, rule: string) => {
    if (!isTrue) throw new Error(rule + ledger());
  };

  const shuffled = rows.toSorted(() => random() - 0.5);
  hold(
    JSON.stringify(concurrentPlansPeriods(shuffled, PLAN_EXTENTS)) === text,
    "the order of arrival does not matter",
  );

  stretches.forEach(({ from, until, plans }, i) => {
    hold(until === null || until > from, "a stretch is longer than zero");
    const next = stretches[i + 1];
    hold(!next || (until !== null && next.from >= until), "stretches follow each other");
    hold(
      plans.every((name) => plans.every((other) => name === other || !liesIn(name, other))),
      "a plan within another waits",
    );
    const ranks = plans.map((name) => extent(name).rank);
    hold(ranks.join() === ranks.toSorted((a, b) => b - a).join(), "the highest plan comes first");
  });

  // For each plan, granted days equal paid days when nothing was refunded and nothing is unlimited.
  const isWhole = rows.every(({ endedAt, durationMs }) => endedAt === null && durationMs !== null);
  for (const { name } of PLAN_EXTENTS) {
    const own = rows.filter(({ kind, planTier }) => kind !== "grace" && planTier === name);
    const given = stretches.reduce(
      (sum, { plans, from, until, isGrace }) =>
        sum + (plans.includes(name) && !isGrace ? (until?.getTime() ?? Infinity) - from.getTime() : 0),
      0,
    );
    const paid = own.reduce((sum, { durationMs }) => sum + (durationMs ?? Infinity), 0);
    if (isWhole)
      hold(given === paid, `granted days equal paid days: ${name} ${given / DAY_MS} ${paid / DAY_MS}`);
    else hold(given <= paid, `no unpaid day is granted: ${name}`);
  }
  const endsOfGraces = rows
    .filter(({ kind }) => kind === "grace")
    .map(({ startsAt, durationMs }) => startsAt.getTime() + (durationMs ?? 0));
  const graces = stretches.filter(
    ({ isGrace, until }) => isGrace && !endsOfGraces.includes(until?.getTime() ?? Infinity),
  );
  hold(graces.length <= 1, "the payment grace applies once");
  const longest = Math.max(...rows.map(({ graceMs }) => graceMs));
  for (const { from, until } of graces)
    hold(until !== null && until.getTime() - from.getTime() <= longest, "the grace is one row's");

  // At a random moment no row has more time left than was paid, and a row that has not started is complete if no grace
  // can have moved it.
  const at = new Date(EPOCH_MS + Math.floor(random() * 200) * DAY_MS);
  const left = remainingMsPerRow(rows, PLAN_EXTENTS, at);
  rows.forEach(({ durationMs, startsAt, endedAt }, i) => {
    const ms = left[i] ?? Number.NaN;
    hold(ms >= 0 && ms <= (durationMs ?? Infinity), "the remaining time is at most the paid time");
    const isMoved = rows.some(({ kind, graceMs }) => kind === "grace" || graceMs > 0);
    if (startsAt >= at && endedAt === null && !isMoved)
      hold(ms === (durationMs ?? Infinity), "an unstarted row is complete");
  });
}

function drawRow(random: () => number): PaidTime {
  const pick = (n: number) => Math.floor(random() * n);
  const startsAt = new Date(EPOCH_MS + pick(120) * DAY_MS);
  const durationMs = random() < 0.04 ? null : [7, 31, 31, 365, 1 + pick(60)][pick(5)]! * DAY_MS;
  const endedAt = random() < 0.12 ? new Date(startsAt.getTime() + pick(60) * DAY_MS) : null;
  const isGrace = random() < 0.15;
  return {
    kind: isGrace ? "grace" : "payment",
    planTier: PLAN_EXTENTS[pick(PLAN_EXTENTS.length)]!.name,
    startsAt,
    durationMs: isGrace ? (1 + pick(14)) * DAY_MS : durationMs,
    graceMs: random() < 0.5 ? 3 * DAY_MS : 0,
    endedAt,
  };
}

const extent = (name: string): PlanExtent => PLAN_EXTENTS.find((plan) => plan.name === name)!;

function liesIn(inner: string, outer: string): boolean {
  const part = (a: readonly string[] | null, b: readonly string[] | null) =>
    b === null || (a?.every((code) => b.includes(code)) ?? false);
  return (
    part(extent(inner).symbols, extent(outer).symbols) &&
    part(extent(inner).timeframes, extent(outer).timeframes)
  );
}
