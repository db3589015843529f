import { z } from "zod";
import { parseIsoInstant } from "@/lib/time";
import { BUILT_IN_PLAN_TIERS, DIRECTIONS, PLAN_NAME_PATTERN, TIMEFRAMES } from "@/lib/vocabulary";

/** An instant in an answer: a Date in the code, `YYYY-MM-DDTHH:MM:SSZ` in the JSON. */
export const Timestamp = z
  .date()
  .meta({ description: "UTC, in whole seconds", example: "2026-11-21T05:00:00Z" });

/** An ISO 8601 instant in a request. */
export const IsoInstant = z
  .string()
  .transform((value, context) => {
    const at = parseIsoInstant(value);
    if (at) return at;
    context.addIssue({ code: "custom", message: "must be an ISO 8601 date and time" });
    return z.NEVER;
  })
  .meta({ wire: { type: "string", format: "date-time" } });

export const SymbolCode = z.string().meta({ example: "EURUSD" });
export const TimeframeCode = z
  .string()
  .meta({ description: `One of ${TIMEFRAMES.join(" ")}`, example: "H1" });
export const Direction = z.enum(DIRECTIONS).meta({ id: "Direction" });
export const PlanName = z
  .string()
  .regex(PLAN_NAME_PATTERN, "must be a plan")
  .meta({
    id: "Plan",
    description: `One of ${BUILT_IN_PLAN_TIERS.join(", ")}, or the name of a plan that the operator added`,
    example: "pro",
  });
/** 0..1, rounded to 6 decimals. */
export const Probability = z.number().min(0).max(1).meta({ example: 0.412345 });
/**
 * A 64-bit integer, sent without rounding. Clients must parse it as a 64-bit integer or as text, because a double would
 * round it.
 */
export const ExactInteger = z.bigint().meta({ example: 1234567890123 });

export const ErrorBody = z
  .strictObject({
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    errors: z
      .array(
        z.strictObject({
          loc: z.array(z.union([z.string(), z.number()])),
          msg: z.string(),
          type: z.string(),
        }),
      )
      .optional(),
  })
  .meta({ id: "Error" });

/** Rounds a probability to the 6 decimals of the interface. */
export function roundProbability(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
