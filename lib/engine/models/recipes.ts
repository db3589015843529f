import { BLEND } from "./recipes/blend";
import { LOGISTIC } from "./recipes/logistic";
import type { ModelHead, RecipeDefinition } from "./recipes/recipe-definition";
import { SOFTMAX } from "./recipes/softmax";
import { TREES } from "./recipes/trees";

// A further recipe is a file in recipes/ and a line here.
const DEFINITIONS = {
  softmax: SOFTMAX,
  logistic: LOGISTIC,
  trees: TREES,
  blend: BLEND,
};

/** The name of a form that a signal model can take. */
export type Recipe = keyof typeof DEFINITIONS;

/**
 * The model of each recipe. A definition whose models carry another name than its line has none, and does not compile.
 */
export type ModelOf = { [R in Recipe]: Extract<ReturnType<(typeof DEFINITIONS)[R]["fit"]>, ModelHead<R>> };

/** Features to class probabilities, before calibration. Plain data: it is stored and read back as JSON. */
export type SignalModel = ModelOf[Recipe];

/** The forms a signal model can take; each is one challenger. A model carries the name of its line. */
export const RECIPES: { readonly [R in Recipe]: RecipeDefinition<ModelOf[R]> } = DEFINITIONS;

// Object.keys forgets the type of the keys.
const NAMES = Object.keys(RECIPES) as Recipe[];

/** Names of all recipes, in the order in which they are fitted and reported. */
export const RECIPE_NAMES: readonly Recipe[] = NAMES;

/** Whether a text is the name of a recipe of this version. */
export function isRecipe(name: string): name is Recipe {
  return Object.hasOwn(RECIPES, name);
}
