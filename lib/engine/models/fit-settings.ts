export interface FitSettings {
  /** Candles left out between training and test: the horizon plus an embargo. */
  purgeCandles: number;
  /** Share of the training window, at its end, on which hyperparameters are chosen. */
  selectionShare: number;
  /** Maximum number of training rows of one slot's models, spread evenly. Labels overlap: fewer rows lose little. */
  maxRows: number;
  /**
   * Candidate weights of the data against the penalty in regressions of NO_TRADE against a direction. The recipe
   * `softmax` also uses the chosen one.
   */
  moveStrengths: readonly number[];
  /** Candidate weights of the data against the penalty in regressions of BUY against SELL; 0 learns nothing. */
  directionStrengths: readonly number[];
  trees: {
    maxRounds: number;
    patience: number;
    maxBins: number;
    maxDepth: number;
    minSamplesLeaf: number;
    l2: number;
    learningRate: number;
  };
}

export const FIT_SETTINGS: Readonly<FitSettings> = {
  purgeCandles: 60,
  selectionShare: 0.2,
  maxRows: 20_000,
  moveStrengths: [0.01, 0.003, 0.001, 0.0003],
  directionStrengths: [0, 0.0001, 0.0003, 0.001],
  trees: {
    maxRounds: 250,
    patience: 15,
    maxBins: 64,
    maxDepth: 3,
    minSamplesLeaf: 100,
    l2: 10,
    learningRate: 0.08,
  },
};

/** Hyperparameters chosen by log-loss on the last part of the training window. */
export interface Hyperparameters {
  moveStrength: number;
  directionStrength: number;
  treeRounds: number;
}
