import type { SymbolDefaults } from "@/db/queries/slots";
import { defaultCostRule } from "@/lib/engine/costs";
import { newSymbolDefaults } from "@/lib/market/symbols";

/** Default properties of a new symbol. The stored row can be corrected later. */
export function symbolDefaultsOf(symbol: string): SymbolDefaults {
  const cost = defaultCostRule(symbol);
  return { symbol, ...newSymbolDefaults(symbol), costKind: cost.kind, costValue: cost.value };
}
