import { isDeepStrictEqual } from "node:util";
import type { RetiredVariableName } from "@/lib/runtime/env";
import type { Setting } from "./setting";

/**
 * The values of a setting (`after`) in which fields that still have their default take the values of retired variables,
 * and the names of these variables.
 */
export function withRetiredVariables(
  entry: Setting,
  before: Record<string, unknown>,
  variables: Partial<Record<RetiredVariableName, string>>,
): { after: Record<string, unknown>; names: string[] } {
  const after: Record<string, unknown> = { ...before };
  const names: string[] = [];
  for (const [name, reader] of Object.entries(entry.carried ?? {})) {
    // The cast restores the type of the names, which Object.entries loses.
    const text = variables[name as RetiredVariableName];
    if (text === undefined) continue;
    const read =
      typeof reader === "function" ? reader(text) : { [reader]: entry.fields[reader]?.parse(text) };
    const carried = Object.entries(read ?? {}).flatMap(([property, value]) => {
      const field = entry.fields[property];
      const isDefault = field && isDeepStrictEqual(before[property], field.byDefault);
      const parsed = isDefault ? field.schema.safeParse(value) : null;
      return parsed?.success ? [[property, parsed.data] as const] : [];
    });
    if (carried.length === 0) continue;
    Object.assign(after, Object.fromEntries(carried));
    names.push(name);
  }
  return { after, names };
}
