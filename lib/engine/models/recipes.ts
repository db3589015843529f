import { BLEND_RECIPE } from "./recipes/blend";
import { LOGISTIC_RECIPE } from "./recipes/logistic";
import { POOLED_RECIPE } from "./recipes/pooled";
import type { RecipeDefinition, RecipeModelBase } from "./recipes/recipe-definition";
import { SOFTMAX_RECIPE } from "./recipes/softmax";
import { TREES_RECIPE } from "./recipes/trees";

// To add a recipe, add a file in recipes/ and a line here.
const DEFINITIONS = {
  softmax: SOFTMAX_RECIPE,
  logistic: LOGISTIC_RECIPE,
  trees: TREES_RECIPE,
  blend: BLEND_RECIPE,
  pooled: POOLED_RECIPE,
};

/** Name of a recipe. */
export type Recipe = keyof typeof DEFINITIONS;

/**
 * Model type of each recipe. If the models of a definition carry another name than its key in `DEFINITIONS`, the type
 * is `never` and the code does not compile.
 */
export type ModelOf = {
  [R in Recipe]: Extract<ReturnType<(typeof DEFINITIONS)[R]["fit"]>, RecipeModelBase<R>>;
};

/**
 * A model from features to class probabilities, before calibration. Plain data: stored and read back as JSON.
 */
export type SignalModel = ModelOf[Recipe];

/** The definition of each recipe, by its name. A model carries the name of its recipe. */
export const RECIPES: { readonly [R in Recipe]: RecipeDefinition<ModelOf[R]> } = DEFINITIONS;

// Object.keys loses the type of the keys.
const NAMES = Object.keys(RECIPES) as Recipe[];

/** Names of all recipes. */
export const RECIPE_NAMES: readonly Recipe[] = NAMES;

/**
 * The recipes that compete for a slot. softmax was never the best on the measured slots; its stored models still
 * forecast.
 */
export const COMPETING_RECIPES: readonly Recipe[] = NAMES.filter((name) => name !== "softmax");

/**
 * Those of some recipes that can be fitted: without a pool of other slots, recipes that learn from one are left out.
 */
export function fittableRecipes(recipes: readonly Recipe[], hasPool: boolean): Recipe[] {
  return recipes.filter((recipe) => hasPool || !RECIPES[recipe].usesPool);
}

export function isRecipe(name: string): name is Recipe {
  return Object.hasOwn(RECIPES, name);
}
