import { BLEND } from "./recipes/blend";
import { LOGISTIC } from "./recipes/logistic";
import { POOLED } from "./recipes/pooled";
import type { ModelHead, RecipeDefinition } from "./recipes/recipe-definition";
import { SOFTMAX } from "./recipes/softmax";
import { TREES } from "./recipes/trees";

// A further recipe is a file in recipes/ and a line here.
const DEFINITIONS = {
  softmax: SOFTMAX,
  logistic: LOGISTIC,
  trees: TREES,
  blend: BLEND,
  pooled: POOLED,
};

/** The name of a form that a signal model can take. */
export type Recipe = keyof typeof DEFINITIONS;

/**
 * The model of each recipe. A definition whose models carry another name than its line has none, and does not compile.
 */
export type ModelOf = { [R in Recipe]: Extract<ReturnType<(typeof DEFINITIONS)[R]["fit"]>, ModelHead<R>> };

/** Features to class probabilities, before calibration. Plain data: it is stored and read back as JSON. */
export type SignalModel = ModelOf[Recipe];

/** The forms a signal model can take. A model carries the name of its line. */
export const RECIPES: { readonly [R in Recipe]: RecipeDefinition<ModelOf[R]> } = DEFINITIONS;

// Object.keys forgets the type of the keys.
const NAMES = Object.keys(RECIPES) as Recipe[];

/** Names of all recipes, in the order in which they are fitted and reported. */
export const RECIPE_NAMES: readonly Recipe[] = NAMES;

/**
 * The recipes that compete for a slot. softmax does no longer, because it never had the best score on any; its models that
 * are stored still forecast.
 */
export const COMPETING_RECIPES: readonly Recipe[] = NAMES.filter((name) => name !== "softmax");

/** Those of some recipes that can be fitted: some need other slots to learn from. */
export function fittableRecipes(recipes: readonly Recipe[], hasPool: boolean): Recipe[] {
  return recipes.filter((recipe) => hasPool || !RECIPES[recipe].usesPool);
}

/** Whether a text is the name of a recipe of this version. */
export function isRecipe(name: string): name is Recipe {
  return Object.hasOwn(RECIPES, name);
}
