import { type SQL, sql } from "drizzle-orm";

/** A PostgreSQL array literal as one parameter: 5,000 rows are 7 parameters, not 35,000. */
export function array(
  values: readonly (number | string | null)[],
  type: "int" | "bigint" | "float8" | "text",
): SQL {
  const literal = `{${values.map((value) => (typeof value === "string" ? quoted(value) : String(value))).join(",")}}`;
  return sql`${literal}::${sql.raw(type)}[]`;
}

/** Text as an element of an array literal: only the quote and the backslash mean something there. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** The pattern of ILIKE that matches whatever contains the text, its own wildcards taken as they stand. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

/** The words of a list, as one parameter. */
export const words = (values: readonly string[]): SQL =>
  sql`(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
