import { FIT_SETTINGS } from "@/lib/engine/models/fit-settings";
import { WALK_FORWARD_SETTINGS, type WalkForwardSettings } from "@/lib/engine/walk-forward";

/** A walk-forward small enough for a test, with the same parts as the real one. */
export const SMALL_WALK_FORWARD: WalkForwardSettings = {
  ...WALK_FORWARD_SETTINGS,
  folds: 3,
  firstTrainShare: 0.45,
  refreshCandles: 250,
  poolCandles: 2000,
  fit: {
    ...FIT_SETTINGS,
    maxRows: 1500,
    moveStrengths: [0.003, 0.0003],
    directionStrengths: [0, 0.0003],
    trees: { ...FIT_SETTINGS.trees, maxRounds: 30, patience: 5, maxBins: 32 },
  },
};
