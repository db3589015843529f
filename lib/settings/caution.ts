import { BASELINE_SETTINGS, type BaselineSettings } from "@/lib/engine/baseline";

/** How much evidence the baseline needs before it gives a direction. */
export type BaselineCaution = "careful" | "usual" | "bold";

/**
 * The engine's parameters of each step. lib/engine/README.md describes their effect on random walks with and without
 * an edge.
 */
export const CAUTION_SETTINGS: Readonly<Record<BaselineCaution, Readonly<BaselineSettings>>> = {
  careful: { ...BASELINE_SETTINGS, thresholdR: 0.05, evidence: 400 },
  usual: BASELINE_SETTINGS,
  bold: { ...BASELINE_SETTINGS, evidence: 50 },
};

export const CAUTION_WORDS: Readonly<Record<BaselineCaution, string>> = {
  careful: "careful: few signals with a direction",
  usual: "usual",
  bold: "bold: more signals with a direction, and earlier",
};

/** The numbers that former releases stored for each step, with `z` standard errors in place of the present parameters. */
const STORED: Readonly<Record<BaselineCaution, { thresholdR: number; z: number; minIndependent: number }>> = {
  careful: { thresholdR: 0.05, z: 3, minIndependent: 80 },
  usual: { thresholdR: 0, z: 2.5, minIndependent: 40 },
  bold: { thresholdR: 0, z: 2, minIndependent: 25 },
};

/** The step nearest to the numbers that a former release stored; a missing number counts as that of `usual`. */
export function nearestCaution(stored: Readonly<Record<string, unknown>>): BaselineCaution {
  const number = (name: "thresholdR" | "z" | "minIndependent") => {
    const value = stored[name];
    return typeof value === "number" && Number.isFinite(value) ? value : STORED.usual[name];
  };
  const distance = (step: BaselineCaution) => {
    const { thresholdR, z, minIndependent } = STORED[step];
    // A difference of `z` is divided by the distance between two steps, the others by about twice that distance: `z`
    // weighs most, because it decides about directions by chance.
    return Math.hypot(
      (number("z") - z) / 0.5,
      (number("thresholdR") - thresholdR) / 0.1,
      Math.log2(Math.max(1, number("minIndependent")) / minIndependent) / 2,
    );
  };
  const steps: readonly BaselineCaution[] = ["usual", "careful", "bold"];
  return steps.reduce((best, step) => (distance(step) < distance(best) ? step : best));
}
