import type { SymbolDefaults } from "@/db/queries/slots";
import { defaultCostRule } from "@/lib/engine/costs";
import { describeNewSymbol } from "@/lib/market/symbols";

/** Default properties of a symbol that is seen for the first time; the row can be corrected afterwards. */
export function describeSymbol(symbol: string): SymbolDefaults {
  const cost = defaultCostRule(symbol);
  return { symbol, ...describeNewSymbol(symbol), costKind: cost.kind, costValue: cost.value };
}
