import { z } from "zod";

/** A UTC day such as 2026-01-31, as its midnight; blank or missing: null. */
const day = z
  .string()
  .default("")
  .transform((text, context): Date | null => {
    if (text === "") return null;
    const at = /^[12]\d{3}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
    if (at && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)) return at;
    context.addIssue({ code: "custom", message: "must be a day such as 2026-01-31" });
    return z.NEVER;
  });

/** Query of a file for the Strategy Tester: the first and the last day of its decisions. */
export const StrategyTesterQuery = z.object({ from: day, to: day });
