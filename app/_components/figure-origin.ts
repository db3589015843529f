import { formatNumber } from "./figures";

/**
 * Origin of a model's AUC and profit factor: a walk-forward test by this service with its number of candles, or, without
 * that number, the operator's own statement about an uploaded model, which is not checked.
 */
export const figureOrigin = (nWf: number | null): string =>
  nWf === null ? "stated at its registration" : `walk-forward, n = ${formatNumber(nWf)}`;
