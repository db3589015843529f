import type { z } from "zod";
import { type FieldError, validationFailedError } from "@/lib/wire/errors";
import { readJson } from "@/lib/wire/json";
import { fieldErrors, parseValue, WITH_INPUT } from "@/lib/wire/params";
import { readText } from "./request-body";

/**
 * Parses query parameters by `schema`. Throws 422 for invalid ones and for a known one that is given twice. Unknown
 * ones are ignored.
 */
export function parseQuery<S extends z.ZodObject>(request: Request, schema: S): z.output<S> {
  const given: Record<string, string> = {};
  const errors: FieldError[] = [];
  const at = request.url.indexOf("?");
  if (at >= 0) {
    for (const [name, value] of new URLSearchParams(request.url.slice(at + 1))) {
      if (!Object.hasOwn(schema.shape, name)) continue;
      if (Object.hasOwn(given, name))
        errors.push({ loc: ["query", name], msg: "is given more than once", type: "repeated" });
      given[name] = value;
    }
  }
  const parsed = schema.safeParse(given, WITH_INPUT);
  if (!parsed.success) errors.push(...fieldErrors("query", parsed.error));
  if (errors.length > 0 || !parsed.success) throw validationFailedError(errors);
  return parsed.data;
}

/**
 * Parses a JSON body by `schema`. Throws 422 with the invalid fields. `readText` and `readJson` accept quirks of
 * trading clients, such as Windows-1252 text.
 */
export async function parseBody<S extends z.ZodType>(
  request: Request,
  schema: S,
  maxBytes?: number,
): Promise<z.output<S>> {
  return parseValue("body", schema, readJson(await readText(request, maxBytes)));
}
