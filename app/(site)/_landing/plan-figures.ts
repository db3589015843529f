import { tradesPerWeek } from "@/app/(site)/_record/trading-figures";
import { type Plan, scopeIncludes, scopeOfPlan } from "@/lib/access/plans";
import type { PublicRecord } from "@/lib/wire/contracts/record";

/** The trades of a plan's slots in the period of the record. */
export interface PlanFigures {
  n: number;
  totalR: number;
  /** null: the record covers less than a week. */
  perWeek: number | null;
  /** First day of the record, `YYYY-MM-DD`. */
  since: string;
  simulated: boolean;
}

/** The trades of the plan's own slots, for the same period as the record's total; null before the record's first day. */
export function figuresOfPlan(
  record: PublicRecord,
  plan: Pick<Plan, "symbols" | "timeframes">,
): PlanFigures | null {
  if (record.first_day === null) return null;
  const scope = scopeOfPlan(plan);
  const own = record.items.filter(({ symbol, tf_code }) => scopeIncludes(scope, symbol, tf_code));
  const n = own.reduce((sum, { model }) => sum + model.n, 0);
  return {
    n,
    totalR: own.reduce((sum, { model }) => sum + model.total_r, 0),
    perWeek: tradesPerWeek(record, n),
    since: record.first_day,
    simulated: record.simulated,
  };
}
