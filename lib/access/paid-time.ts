import type { PaidTimeKind, PlanTier } from "@/lib/vocabulary";

/** A row of paid time: time of a plan that was paid for or given, usable from an instant on. */
export interface PaidTime {
  /** A `grace` runs from its start, alongside other time, and gives access only when all other time is used up. */
  kind: PaidTimeKind;
  planTier: PlanTier;
  startsAt: Date;
  /** null: without an end. */
  durationMs: number | null;
  /** Grace period after this time. Of rows that follow each other, only the longest one counts, once, at the end. */
  graceMs: number;
  /** From this instant on the row does not count. */
  endedAt: Date | null;
}

/** Plans that are in force at the same time, the highest first. */
export interface ConcurrentPlansPeriod {
  plans: readonly PlanTier[];
  from: Date;
  /** null: without an end. */
  until: Date | null;
  isGrace: boolean;
}

/** The parts of a plan that decide whether its time waits for another plan. */
export interface PlanExtent {
  name: PlanTier;
  rank: number;
  symbols: readonly string[] | null;
  timeframes: readonly string[] | null;
}

/**
 * The periods in which plans are in force, from the paid-time rows of one key. Pure; the order of the rows is irrelevant.
 *
 * If the scope of a plan lies within that of another plan with time left, its time waits; all other plans run at
 * the same time. The rows of one plan are used up one after the other. Time that begins within the grace of
 * earlier time counts from the end of that time, so that grace days never add to paid days. The grace of the rows
 * is given once, when the days are first used up; grace after a failed payment lasts until its own end.
 */
export function concurrentPlansPeriods(
  rows: readonly PaidTime[],
  plans: readonly PlanExtent[],
): ConcurrentPlansPeriod[] {
  return consume(rows, plans, Number.POSITIVE_INFINITY).stretches;
}

/**
 * Remaining time of each row at an instant, in milliseconds: 0 for a row of the kind `grace` and for one that has
 * ended, Infinity without an end.
 */
export function remainingMsPerRow(
  rows: readonly PaidTime[],
  plans: readonly PlanExtent[],
  at: Date,
): number[] {
  return consume(rows, plans, at.getTime()).left.map((ms, i) => {
    const endedAt = rows[i]?.endedAt ?? null;
    return endedAt !== null && endedAt <= at ? 0 : ms;
  });
}

/** The period in force at an instant, or the next one; null after the last one. */
export function plansPeriodAtOrAfter<S extends { until: Date | null }>(
  stretches: readonly S[],
  at: Date,
): S | null {
  return stretches.find(({ until }) => until === null || until > at) ?? null;
}

/**
 * The rows as they were paid for or given. Where a later row of the same plan carries on the remaining time of a row
 * (`fromId`), the result holds only the earlier one, with the end and the key of the later one.
 */
export function mergeCarriedOnTime<
  R extends Pick<PaidTime, "planTier" | "endedAt"> & { id: number; fromId: number | null; keyId: number },
>(rows: readonly R[]): R[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const successors = new Map<number, R>();
  for (const row of rows)
    if (row.fromId !== null && byId.get(row.fromId)?.planTier === row.planTier)
      successors.set(row.fromId, row);
  const carryingOn = new Set(successors.values());
  return rows
    .filter((row) => !carryingOn.has(row))
    .map((row) => {
      let last = row;
      for (let next = successors.get(row.id); next; next = successors.get(next.id)) last = next;
      return { ...row, endedAt: last.endedAt, keyId: last.keyId };
    });
}

function consume(rows: readonly PaidTime[], plans: readonly PlanExtent[], stopMs: number) {
  const starts = rows.map(({ startsAt }) => startsAt.getTime());
  const ends = rows.map(({ endedAt }) => endedAt?.getTime() ?? Number.POSITIVE_INFINITY);
  const left = rows.map(({ kind, durationMs }) =>
    kind === "grace" ? 0 : (durationMs ?? Number.POSITIVE_INFINITY),
  );
  const extents = new Map(plans.map((plan) => [plan.name, plan]));
  const places = rows
    .map((_, i) => i)
    .filter((i) => at(ends, i) > at(starts, i) && at(left, i) > 0)
    .sort((a, b) => at(starts, a) - at(starts, b) || at(left, a) - at(left, b) || at(ends, a) - at(ends, b));
  const stretches: ConcurrentPlansPeriod[] = [];
  let now = Math.min(...places.map((i) => at(starts, i)));
  let isGraceOpen = true;
  let graceMs = 0;

  while (now < stopMs) {
    const open = places.filter((i) => at(starts, i) <= now && at(ends, i) > now && at(left, i) > 0);
    if (open.length === 0) {
      const next = places.find((i) => at(starts, i) > now);
      const nextMs = next === undefined ? Number.POSITIVE_INFINITY : at(starts, next);
      const graceUntil = endOfGraces(rows, isGraceOpen ? now + graceMs : now);
      if (next !== undefined && nextMs <= graceUntil) {
        for (const i of places) if (at(starts, i) === nextMs) starts[i] = now;
        continue;
      }
      const last = stretches.at(-1);
      if (graceUntil > now && last) append(stretches, last.plans, now, graceUntil, true);
      isGraceOpen = false;
      if (next === undefined) break;
      now = nextMs;
      continue;
    }
    // A row that was ended by hand gives no grace period: such an end is exact.
    for (const i of open)
      if (at(ends, i) === Number.POSITIVE_INFINITY) graceMs = Math.max(graceMs, rows[i]?.graceMs ?? 0);
    const running = runningPlans(
      open.map((i) => rows[i]?.planTier ?? ""),
      extents,
    );
    // Of each running plan, the row that is used up first.
    const used = running.map((plan) => open.find((i) => rows[i]?.planTier === plan) ?? -1);
    const until = Math.min(
      stopMs,
      ...used.map((i) => now + at(left, i)),
      ...open.map((i) => at(ends, i)),
      ...places.map((i) => at(starts, i)).filter((ms) => ms > now),
    );
    append(stretches, running, now, until, false);
    for (const i of used) left[i] = at(left, i) - (until - now);
    now = until;
  }
  return { stretches, left };
}

/** The end of access at `untilMs`, moved later by each grace period after a failed payment that begins by then. */
function endOfGraces(rows: readonly PaidTime[], untilMs: number): number {
  return rows
    .filter(({ kind, endedAt }) => kind === "grace" && endedAt === null)
    .sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime())
    .reduce(
      (until, { startsAt, durationMs }) =>
        startsAt.getTime() <= until ? Math.max(until, startsAt.getTime() + (durationMs ?? 0)) : until,
      untilMs,
    );
}

/** The number at an index that exists. */
const at = (numbers: readonly number[], i: number): number => numbers[i] ?? 0;

/** The plans that wait for no other plan, the highest first. */
function runningPlans(names: readonly PlanTier[], extents: ReadonlyMap<PlanTier, PlanExtent>): PlanTier[] {
  const open = [...new Set(names)].map(
    (name) => extents.get(name) ?? { name, rank: -1, symbols: [], timeframes: [] },
  );
  return open
    .filter(
      (plan) =>
        !open.some(
          (other) =>
            other !== plan && liesWithin(plan, other) && (!liesWithin(other, plan) || other.rank > plan.rank),
        ),
    )
    .sort((a, b) => b.rank - a.rank || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

const liesWithin = (inner: PlanExtent, outer: PlanExtent): boolean =>
  isPart(inner.symbols, outer.symbols) && isPart(inner.timeframes, outer.timeframes);

const isPart = (inner: readonly string[] | null, outer: readonly string[] | null): boolean =>
  outer === null || inner?.every((code) => outer.includes(code)) === true;

function append(
  stretches: ConcurrentPlansPeriod[],
  plans: readonly PlanTier[],
  fromMs: number,
  untilMs: number,
  isGrace: boolean,
) {
  const until = Number.isFinite(untilMs) ? new Date(untilMs) : null;
  const last = stretches.at(-1);
  const goesOn =
    last?.until?.getTime() === fromMs && last.isGrace === isGrace && last.plans.join() === plans.join();
  if (last && goesOn) last.until = until;
  else stretches.push({ plans, from: new Date(fromMs), until, isGrace });
}
