import { type Grant, plansHeld, type Scope } from "./plans";

/** A list in words, such as `EURUSD, GBPUSD and XAUUSD`; `none` if it is empty. */
function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? "none";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/**
 * The content of a scope, as part of a sentence: `every symbol on every timeframe`; with several plans, each
 * plan's part.
 */
export function describeScope(scope: Pick<Scope, "symbols" | "timeframes" | "parts">): string {
  if (scope.parts) return [...new Set(scope.parts.map((part) => describeScope(part)))].join(", and ");
  const symbols = scope.symbols === null ? "every symbol" : listed(scope.symbols);
  const timeframes = scope.timeframes === null ? "every timeframe" : listed(scope.timeframes);
  return `${symbols} on ${timeframes}`;
}

/**
 * A sentence that says what a scope shows, how many more slots there are, and whether the plan or the key leaves them
 * out; null if nothing is hidden.
 */
export function describeHiddenSlots(
  scope: Scope,
  held: Pick<Grant, "planTier" | "plans">,
  nHidden: number,
): string | null {
  if (nHidden === 0) return null;
  const byPlan = plansHeld(held).every(({ symbols, timeframes }) => symbols !== null || timeframes !== null);
  const more = nHidden === 1 ? "1 more slot" : `${nHidden} more slots`;
  return byPlan
    ? `You see ${describeScope(scope)}. A larger plan adds ${more}.`
    : `You see ${describeScope(scope)}. The limits of your key leave out ${more}.`;
}
