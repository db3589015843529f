/** Sums over results of followed directions, in the order in which they ended. Amounts in R. */
export interface ResultTally {
  n: number;
  wins: number;
  losses: number;
  /** Sum of the gains; `lossR` is the sum of the losses. Both are positive amounts. */
  gainR: number;
  lossR: number;
  totalR: number;
  /** Maximum drawdown of the running total from its peak; total and peak start at 0. */
  drawdownR: number;
  /** Highest value of the running total, which starts at 0; `lowR` is its lowest. */
  highR: number;
  lowR: number;
  /** Wins and losses if all these signals had been followed as BUY, or all as SELL. */
  buyWins: number;
  buyLosses: number;
  sellWins: number;
  sellLosses: number;
}

export const EMPTY_RESULT_TALLY: ResultTally = {
  n: 0,
  wins: 0,
  losses: 0,
  gainR: 0,
  lossR: 0,
  totalR: 0,
  drawdownR: 0,
  highR: 0,
  lowR: 0,
  buyWins: 0,
  buyLosses: 0,
  sellWins: 0,
  sellLosses: 0,
};

/** A tally of one result. */
export function tallyResult({
  resultR,
  buyR,
  sellR,
}: {
  resultR: number;
  buyR: number;
  sellR: number;
}): ResultTally {
  const gained = (r: number) => (r > 0 ? 1 : 0);
  const lost = (r: number) => (r < 0 ? 1 : 0);
  return {
    n: 1,
    wins: gained(resultR),
    losses: lost(resultR),
    gainR: Math.max(resultR, 0),
    lossR: Math.max(-resultR, 0),
    totalR: resultR,
    drawdownR: Math.max(-resultR, 0),
    highR: Math.max(resultR, 0),
    lowR: Math.min(resultR, 0),
    buyWins: gained(buyR),
    buyLosses: lost(buyR),
    sellWins: gained(sellR),
    sellLosses: lost(sellR),
  };
}

/** The tally of all results of `before` and then of `after`. */
export function joinResultTallies(before: ResultTally, after: ResultTally): ResultTally {
  return {
    n: before.n + after.n,
    wins: before.wins + after.wins,
    losses: before.losses + after.losses,
    gainR: before.gainR + after.gainR,
    lossR: before.lossR + after.lossR,
    totalR: before.totalR + after.totalR,
    drawdownR: Math.max(before.drawdownR, after.drawdownR, before.highR - (before.totalR + after.lowR)),
    highR: Math.max(before.highR, before.totalR + after.highR),
    lowR: Math.min(before.lowR, before.totalR + after.lowR),
    buyWins: before.buyWins + after.buyWins,
    buyLosses: before.buyLosses + after.buyLosses,
    sellWins: before.sellWins + after.sellWins,
    sellLosses: before.sellLosses + after.sellLosses,
  };
}
