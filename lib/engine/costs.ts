/** Cost of one round trip (spread, commission, slippage): a price difference, or a fraction of the entry price. */
export interface CostRule {
  kind: "absolute" | "fraction";
  value: number;
}

/** Cost rules of new symbols, and of symbols in files that the command `engine` reads: exact names, then prefixes. */
const DEFAULT_COST_RULES: {
  bySymbol: Readonly<Record<string, CostRule>>;
  byPrefix: ReadonlyArray<{ prefix: string; rule: CostRule }>;
} = {
  bySymbol: {
    EURUSD: { kind: "absolute", value: 0.00008 },
    GBPUSD: { kind: "absolute", value: 0.00012 },
    USDJPY: { kind: "absolute", value: 0.01 },
    XAUUSD: { kind: "absolute", value: 0.3 },
  },
  byPrefix: [{ prefix: "BTC", rule: { kind: "fraction", value: 0.0002 } }],
};

/** The default cost rule of a canonical (upper-case) symbol; no cost for an unknown one. */
export function defaultCostRule(symbol: string): CostRule {
  const exact = Object.hasOwn(DEFAULT_COST_RULES.bySymbol, symbol)
    ? DEFAULT_COST_RULES.bySymbol[symbol]
    : undefined;
  const byPrefix = DEFAULT_COST_RULES.byPrefix.find(({ prefix }) => symbol.startsWith(prefix))?.rule;
  return exact ?? byPrefix ?? { kind: "absolute", value: 0 };
}

/** Cost of a round trip in price units at an entry price. */
export function tradingCost(rule: CostRule, entryPrice: number): number {
  return rule.kind === "absolute" ? rule.value : rule.value * entryPrice;
}
