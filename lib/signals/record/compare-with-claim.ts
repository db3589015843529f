import type { PublicModel } from "@/lib/wire/contracts/record";

type Estimate = PublicModel["result"]["skill"];

/**
 * Whether a model's live figure is below or above the figure that was claimed for it after training by more than chance
 * explains, given the uncertainty of both. The bound is 3.9 standard errors of the difference instead of 1.96, because
 * visitors read the comparison every day for years.
 *
 * @returns null if `claimed` or `result` has no value or no interval
 */
export function compareWithClaim(claimed: Estimate, result: Estimate): "below" | "within" | "above" | null {
  if (claimed.value === null || claimed.ci95 === null || result.value === null || result.ci95 === null)
    return null;
  const difference = result.value - claimed.value;
  // The width of a 95 % interval is 3.92 standard errors.
  if (Math.abs(difference) <= Math.hypot(width(claimed.ci95), width(result.ci95))) return "within";
  return difference < 0 ? "below" : "above";
}

const width = ([lo, hi]: [number, number]) => hi - lo;
