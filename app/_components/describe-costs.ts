import { formatList } from "./figures";

/**
 * Whether the results of `shown` symbols are after costs, as a phrase. `withoutCost`: the symbols for which the operator has
 * entered no cost.
 */
export function describeCosts(shown: readonly string[], withoutCost: readonly string[]): string {
  const missing = [...new Set(shown)].filter((symbol) => withoutCost.includes(symbol)).sort();
  if (missing.length === 0) return "after costs";
  if (missing.length === new Set(shown).size) return "before costs: the operator has entered none";
  return `after costs, but before costs for ${formatList(missing)}, for which the operator has entered none`;
}
