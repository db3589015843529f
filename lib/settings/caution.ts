import { BASELINE_SETTINGS, type BaselineSettings } from "@/lib/engine/baseline";

/** How careful the baseline is before it gives a direction. */
export type Caution = "careful" | "usual" | "bold";

/**
 * The engine's parameters of each step. Without an edge the better of two directions passes a lower bound of z standard
 * errors in about 2 (1 - Phi(z)) of the judgements: 0.3 % at 3, 1.2 % at 2.5, 4.6 % at 2.
 */
export const CAUTION: Readonly<Record<Caution, Readonly<BaselineSettings>>> = {
  careful: { ...BASELINE_SETTINGS, thresholdR: 0.05, z: 3, minIndependent: 80 },
  usual: BASELINE_SETTINGS,
  bold: { ...BASELINE_SETTINGS, z: 2, minIndependent: 25 },
};

export const CAUTION_WORDS: Readonly<Record<Caution, string>> = {
  careful: "careful: few signals with a direction",
  usual: "usual",
  bold: "bold: more signals with a direction, more of them by chance",
};

/** The step nearest to numbers that a release before the steps stored; what is missing is as usual. */
export function nearestCaution(stored: Readonly<Record<string, unknown>>): Caution {
  const number = (name: "thresholdR" | "z" | "minIndependent") => {
    const value = stored[name];
    return typeof value === "number" && Number.isFinite(value) ? value : BASELINE_SETTINGS[name];
  };
  const distance = (step: Caution) => {
    const { thresholdR, z, minIndependent } = CAUTION[step];
    // In units of the distance between two steps; z decides most about directions that come by chance.
    return Math.hypot(
      (number("z") - z) / 0.5,
      (number("thresholdR") - thresholdR) / 0.1,
      Math.log2(Math.max(1, number("minIndependent")) / minIndependent) / 2,
    );
  };
  const steps: readonly Caution[] = ["usual", "careful", "bold"];
  return steps.reduce((best, step) => (distance(step) < distance(best) ? step : best));
}
