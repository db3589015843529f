import type { PlanTier } from "@/lib/vocabulary";
import { planOf, type Scope } from "./plans";

/** `EURUSD, GBPUSD and XAUUSD`. */
function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? "none";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** The content of a scope, as part of a sentence: `every symbol on every timeframe`. */
export function scopeWords(scope: Pick<Scope, "symbols" | "timeframes">): string {
  const symbols = scope.symbols === null ? "every symbol" : listed(scope.symbols);
  const timeframes = scope.timeframes === null ? "every timeframe" : listed(scope.timeframes);
  return `${symbols} on ${timeframes}`;
}

/** What a scope leaves out and why, in one sentence; null when nothing is left out. */
export function hiddenWords(scope: Scope, planTier: PlanTier, nHidden: number): string | null {
  if (nHidden === 0) return null;
  const plan = planOf(planTier);
  const byPlan = plan.symbols !== null || plan.timeframes !== null;
  const more = nHidden === 1 ? "1 more slot" : `${nHidden} more slots`;
  return byPlan
    ? `You see ${scopeWords(scope)}. A larger plan adds ${more}.`
    : `You see ${scopeWords(scope)}. The limits of your key leave out ${more}.`;
}
