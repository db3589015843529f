import { type FollowedSummary, followedSignals, summariseFollowed } from "@/lib/engine/evaluation";
import { makeSlotSample, trainAndSelectChampion } from "@/lib/engine/train";
import { SMALL_WALK_FORWARD } from "./small-settings";
import { randomWalk } from "./synthetic";

export interface WalkResult {
  promoted: boolean;
  claimsDirection: boolean;
  /** Whether a policy of any recipe allowed directions at any refresh. */
  everFollowed: boolean;
  followed: FollowedSummary;
}

const FREE = { kind: "absolute", value: 0 } as const;

/** Trains on the random walk of a seed. */
export function trainOnWalk(seed: number): WalkResult {
  const sample = makeSlotSample(randomWalk({ n: 2800, seed }), 60, FREE);
  const training = trainAndSelectChampion({
    sample,
    timeframeMinutes: 60,
    current: "baseline",
    slots: 1,
    // Regressions only: trees take most of the time and share their direction part with a regression.
    settings: { ...SMALL_WALK_FORWARD, folds: 2, recipes: ["softmax", "logistic"] },
  });
  const everyForecast = followedSignals(training.walk, training.walk.records[0]!, sample.results, "forecast");
  return {
    promoted: training.decision.change === "promoted",
    claimsDirection: training.trained?.policy.mayFollow ?? false,
    everFollowed: training.walk.records.some(({ policies, finalPolicy }) =>
      [...policies, finalPolicy].some((policy) => policy.mayFollow),
    ),
    followed: summariseFollowed(everyForecast, 0),
  };
}
