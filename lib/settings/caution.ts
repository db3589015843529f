import { BASELINE_SETTINGS, type BaselineSettings } from "@/lib/engine/baseline";

/** How much evidence the baseline needs before it gives a direction. */
export type Caution = "careful" | "usual" | "bold";

/**
 * The engine's parameters of each step. lib/engine/README.md describes their effect on random walks with and without
 * an edge.
 */
export const CAUTION: Readonly<Record<Caution, Readonly<BaselineSettings>>> = {
  careful: { ...BASELINE_SETTINGS, thresholdR: 0.05, evidence: 400 },
  usual: BASELINE_SETTINGS,
  bold: { ...BASELINE_SETTINGS, evidence: 50 },
};

export const CAUTION_WORDS: Readonly<Record<Caution, string>> = {
  careful: "careful: few signals with a direction",
  usual: "usual",
  bold: "bold: more signals with a direction, and earlier",
};

/** The stored numbers of each step in former releases: `z` standard errors in place of a probability. */
const STORED: Readonly<Record<Caution, { thresholdR: number; z: number; minIndependent: number }>> = {
  careful: { thresholdR: 0.05, z: 3, minIndependent: 80 },
  usual: { thresholdR: 0, z: 2.5, minIndependent: 40 },
  bold: { thresholdR: 0, z: 2, minIndependent: 25 },
};

/** The step nearest to the stored numbers of a former release; a missing number counts as usual. */
export function nearestCaution(stored: Readonly<Record<string, unknown>>): Caution {
  const number = (name: "thresholdR" | "z" | "minIndependent") => {
    const value = stored[name];
    return typeof value === "number" && Number.isFinite(value) ? value : STORED.usual[name];
  };
  const distance = (step: Caution) => {
    const { thresholdR, z, minIndependent } = STORED[step];
    // In units of the distance between two steps; z has the largest effect on directions by chance.
    return Math.hypot(
      (number("z") - z) / 0.5,
      (number("thresholdR") - thresholdR) / 0.1,
      Math.log2(Math.max(1, number("minIndependent")) / minIndependent) / 2,
    );
  };
  const steps: readonly Caution[] = ["usual", "careful", "bold"];
  return steps.reduce((best, step) => (distance(step) < distance(best) ? step : best));
}
