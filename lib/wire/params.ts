import { z } from "zod";
import { type FieldError, validationFailedError } from "./errors";

// `wire` in a schema's metadata is its form in the OpenAPI document: a parameter is text that is parsed, for example as
// a number.

/** An integer parameter: `-?[0-9]+`. Outside of the range it is 422, never clamped. */
export function intParam(range: { min: number; max: number; default: number }) {
  return z
    .string()
    .regex(/^-?[0-9]+$/, "must be an integer")
    .transform(Number)
    .refine((n) => n >= range.min && n <= range.max, `must be between ${range.min} and ${range.max}`)
    .meta({ wire: { type: "integer", minimum: range.min, maximum: range.max } })
    .default(range.default)
    .meta({ wire: { type: "integer", minimum: range.min, maximum: range.max, default: range.default } });
}

/** A decimal parameter: `-?[0-9]+(\.[0-9]+)?`. Outside of the range it is 422. */
export function numberParam(range: { min: number; max: number; default: number }) {
  return z
    .string()
    .regex(/^-?[0-9]+(\.[0-9]+)?$/, "must be a decimal number")
    .transform(Number)
    .refine((n) => n >= range.min && n <= range.max, `must be between ${range.min} and ${range.max}`)
    .meta({ wire: { type: "number", minimum: range.min, maximum: range.max } })
    .default(range.default)
    .meta({ wire: { type: "number", minimum: range.min, maximum: range.max, default: range.default } });
}

/** A parameter that is `true` or `false`, with a default. */
export function booleanParam(options: { default: boolean }) {
  return z
    .enum(["true", "false"], "must be true or false")
    .transform((text) => text === "true")
    .meta({ wire: { type: "boolean" } })
    .default(options.default)
    .meta({ wire: { type: "boolean", default: options.default } });
}

/** A parameter that is `true`, `false` or missing. */
export function booleanFilter() {
  return z
    .enum(["true", "false"], "must be true or false")
    .transform((text) => text === "true")
    .meta({ wire: { type: "boolean" } })
    .optional();
}

/**
 * An optional text parameter: empty counts as absent. `parse` returns null for malformed text, which is 422 with the
 * sentence `problem`.
 */
export function textParam<T>(parse: (text: string) => T | null, problem: string) {
  return z
    .string()
    .optional()
    .transform((text, context) => {
      if (text === undefined || text.trim() === "") return undefined;
      const value = text.includes("\0") ? null : parse(text);
      if (value === null) {
        context.addIssue({ code: "custom", message: problem });
        return z.NEVER;
      }
      return value;
    })
    .meta({ wire: { type: "string" } });
}

/**
 * Parses a value by `schema`. Throws 422 with the invalid fields; `place` names the part of the request, such as
 * `body`.
 */
export function parseValue<S extends z.ZodType>(place: string, schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, WITH_INPUT);
  if (!parsed.success) throw validationFailedError(fieldErrors(place, parsed.error));
  return parsed.data;
}

const MAX_REPORTED_ERRORS = 20;

/** The option of a parse whose issues become field errors: their input tells a missing field from a wrong value. */
export const WITH_INPUT = { reportInput: true } as const;

/** Zod's issues of a parse WITH_INPUT as field errors of the API, without the submitted values. */
export function fieldErrors(place: string, error: z.ZodError, max = MAX_REPORTED_ERRORS): FieldError[] {
  return error.issues.slice(0, max).map((issue) => ({
    loc: [place, ...issue.path.map((part) => (typeof part === "number" ? part : String(part).slice(0, 64)))],
    msg: issueMessage(issue),
    type: issue.code === "custom" ? "value_error" : issue.code,
  }));
}

/** Codes of zod for a value that has none of the allowed types or values, such as a missing one. */
const MISMATCHES: ReadonlySet<string> = new Set(["invalid_type", "invalid_value", "invalid_union"]);

/** How zod's own sentences for a wrong type and a wrong value begin. A schema's sentence is kept. */
const OWN_WORDS = /^Invalid (?:input|option)/;

function issueMessage(issue: z.core.$ZodIssue): string {
  if (MISMATCHES.has(issue.code) && "input" in issue && issue.input === undefined) return "is required";
  if (issue.code === "invalid_type" && OWN_WORDS.test(issue.message))
    return `must be ${article(issue.expected)}`;
  if (issue.code === "invalid_value" && OWN_WORDS.test(issue.message))
    return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
  if (issue.code === "unrecognized_keys") return `must not have ${issue.keys.join(", ")}`;
  return issue.message;
}

function article(expected: string): string {
  return `${/^[aeio]/.test(expected) ? "an" : "a"} ${expected}`;
}
