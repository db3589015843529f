export interface FitSettings {
  /** Candles left out between training and what comes after: the horizon, and an embargo on top. */
  purgeCandles: number;
  /** Share of the training window, its end, on which inner choices are made. */
  selectionShare: number;
  /** Training rows at most, spread evenly over all. Labels overlap, so that little is lost. */
  maxRows: number;
  /** Strengths of the data tried for movement; 0 learns nothing. */
  moveStrengths: readonly number[];
  /** Strengths tried for direction. */
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

/** What was chosen inside the training window. */
export interface InnerChoices {
  moveStrength: number;
  directionStrength: number;
  treeRounds: number;
}
