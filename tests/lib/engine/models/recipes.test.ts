import { describe, expect, it } from "vitest";
import { UNCALIBRATED_STATE } from "@/lib/engine/calibration/online";
import { makeFeatures } from "@/lib/engine/features";
import { fitSignalModels } from "@/lib/engine/models/fit-signal-models";
import { makePoolSlot } from "@/lib/engine/models/pool";
import { COMPETING_RECIPES, isRecipe, RECIPE_NAMES, RECIPES } from "@/lib/engine/models/recipes";
import type { RecipeDefinition } from "@/lib/engine/models/recipes/recipe-definition";
import { SOFTMAX_RECIPE } from "@/lib/engine/models/recipes/softmax";
import { featureImportance, predictSignalModel } from "@/lib/engine/models/signal-model";
import { labelCandles } from "@/lib/engine/outcome";
import { decodeTrainedModel } from "@/lib/models/training/decode-trained-model";
import { SMALL_WALK_FORWARD } from "@/tests/lib/engine/small-settings";
import { randomWalk } from "@/tests/lib/engine/synthetic";

const candles = randomWalk({ n: 2600, seed: 3 });
const table = makeFeatures(candles, 60);
const { models } = fitSignalModels({
  table,
  labels: labelCandles(candles).label,
  firstIndex: table.firstIndex,
  endIndex: 2500,
  pool: [makePoolSlot(randomWalk({ n: 2600, seed: 4 }), 60, 2, SMALL_WALK_FORWARD.fit)],
  recipes: RECIPE_NAMES,
  settings: SMALL_WALK_FORWARD.fit,
});
const rows = [1000, 2000, 2590];

describe.each(RECIPE_NAMES)("the recipe %s", (name) => {
  const model = models.get(name)!;

  it("a recipe stores its name in its model, which survives JSON unchanged", () => {
    expect(model.recipe).toBe(name);
    const stored = JSON.parse(JSON.stringify(model));
    expect(predictSignalModel(stored, table, rows)).toEqual(predictSignalModel(model, table, rows));
  });

  it("a recipe gives three probabilities that sum to 1 for each candle", () => {
    const probs = predictSignalModel(model, table, rows);
    expect(probs).toHaveLength(9);
    expect(probs.every((p) => p > 0 && p < 1)).toBe(true);
    for (const i of [0, 3, 6]) expect(probs[i]! + probs[i + 1]! + probs[i + 2]!).toBeCloseTo(1, 12);
  });

  it("a recipe ranks feature importances, the largest share first", () => {
    const importance = featureImportance(model, table);
    const shares = importance.map(({ share }) => share);
    expect(importance).toHaveLength(table.definitions.length + 1);
    expect(shares.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
  });
});

describe.each(COMPETING_RECIPES)("the recipe %s", (name) => {
  const model = models.get(name)!;

  it("a recipe forecasts the same movement and the opposite direction in a mirrored market", () => {
    const mirrored = structuredClone(table);
    const { columns, values } = mirrored.matrix;
    for (const [j, { parity }] of table.definitions.entries()) {
      if (parity === "even") continue;
      for (let i = 0; i < mirrored.matrix.rows; i++) values[i * columns + j] = -values[i * columns + j]!;
    }
    const [upright, upsideDown] = [table, mirrored].map((one) => predictSignalModel(model, one, rows));
    for (const i of [0, 3, 6]) {
      expect(upsideDown![i + 2]).toBe(upright![i + 2]);
      expect(upsideDown![i]).toBeCloseTo(upright![i + 1]!, 12);
    }
  });

  it("a recipe forecasts differently with a model stored before movement used magnitudes", () => {
    const { magnitudes: _magnitudes, ...former } = model as Extract<typeof model, { magnitudes?: true }>;
    expect(predictSignalModel(former as typeof model, table, rows)).not.toEqual(
      predictSignalModel(model, table, rows),
    );
  });
});

describe("the table of recipes", () => {
  it("usesTrees is true exactly for recipes whose model has trees", () => {
    for (const name of RECIPE_NAMES) {
      const model = models.get(name)!;
      expect(RECIPES[name].usesTrees).toBe("moveTrees" in model && model.moveTrees !== null);
    }
  });

  it("a recipe without importance does not compile", () => {
    const { importance: _importance, ...rest } = SOFTMAX_RECIPE;
    // @ts-expect-error a recipe without importance does not compile
    const lacking: RecipeDefinition<ReturnType<typeof SOFTMAX_RECIPE.fit>> = rest;
    expect(Object.keys(lacking).toSorted()).toEqual(["fit", "predict", "usesPool", "usesTrees"]);
  });

  it("isRecipe refuses an unknown name; decodeTrainedModel reads formats 1 and 2, and no unknown features or recipe", () => {
    expect(isRecipe("blend")).toBe(true);
    expect(isRecipe("toString")).toBe(false);
    const calibration = { a: 0.1, b: 0.9, curvature: [3, 2, 5], pull: [1, 4], n: 700 };
    const stored = {
      format: 2,
      features: 2,
      model: JSON.parse(JSON.stringify(models.get("blend"))),
      calibration,
    };
    // A calibration of a and b alone, from before the clock weights, is equivalent.
    expect(decodeTrainedModel(stored)).toEqual({
      ...stored,
      calibration: { ...calibration, c1: 0, c2: 0, d: 0 },
    });
    const former = { format: 1, model: stored.model, calibration: { s: 1 }, trainedToMs: 7 };
    expect(decodeTrainedModel(former)).toEqual({
      ...former,
      format: 2,
      features: 1,
      calibration: UNCALIBRATED_STATE,
      calibratedToMs: 7,
      anchored: former.calibration,
    });
    expect(decodeTrainedModel({ ...stored, features: 3 })).toBeNull();
    expect(decodeTrainedModel({ ...stored, model: { ...stored.model, recipe: "forest" } })).toBeNull();
  });
});
