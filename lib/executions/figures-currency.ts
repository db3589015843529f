/** Which currency the amounts of figures are in. Amounts in different currencies are never added. */
export interface FiguresCurrency {
  /** The only one whose positions are counted; undefined: all positions are, because at most one is reported. */
  only?: string | undefined;
  /** Of the amounts; null: the EA reports none. */
  unit: string | null;
}

/** The currency of figures over positions with these reported `currencies`, most frequent first. `wish`: the chosen one. */
export function figuresCurrency(currencies: readonly string[], wish: string | undefined): FiguresCurrency {
  const [main = null] = currencies;
  if (wish !== undefined) return { only: wish, unit: wish };
  return currencies.length > 1 && main !== null ? { only: main, unit: main } : { unit: main };
}
