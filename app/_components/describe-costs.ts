import type { RecordCoverage } from "@/lib/wire/contracts/record";
import { formatNumber } from "./figures";

/**
 * Whether results are after costs, as a phrase. `nWithoutCost` of the `n` results were judged when the operator had entered
 * no cost for their symbol.
 */
export function describeCosts({ n, nWithoutCost }: { n: number; nWithoutCost: number }): string {
  if (nWithoutCost === 0) return "after costs";
  if (nWithoutCost === n) return "before costs: the operator has entered none";
  return `after costs, except for ${formatNumber(nWithoutCost)} of ${formatNumber(n)} results, for which the operator had entered none`;
}

/** Whether the results of a whole record are after costs, as a phrase. */
export const describeRecordCosts = (of: RecordCoverage): string =>
  describeCosts({ n: of.n_directional, nWithoutCost: of.n_without_cost });
