import { type SQL, sql } from "drizzle-orm";
import { fold, foldedText } from "@/db/schema/folding";

/** A PostgreSQL array literal as one parameter: 5,000 rows are 7 parameters, not 35,000. */
export function array(
  values: readonly (number | string | null)[],
  type: "int" | "bigint" | "float8" | "text" | "timestamptz",
): SQL {
  const literal = `{${values.map((value) => (typeof value === "string" ? quoted(value) : String(value))).join(",")}}`;
  return sql`${literal}::${sql.raw(type)}[]`;
}

/** Text as an element of an array literal, in which only quotes and backslashes are special. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** Escapes the wildcards of LIKE. */
export const escapeLikeWildcards = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** Condition: a column contains a text, ignoring case and accents. The text's own wildcards are literal. */
export const containsFolded = (column: string, text: string): SQL =>
  sql`${foldedText(column)} like ${`%${escapeLikeWildcards(fold(text))}%`}`;

/** Condition: an already folded column contains a text. */
export const foldedContains = (column: string, text: string): SQL =>
  sql`${sql.raw(column)} like ${`%${escapeLikeWildcards(fold(text))}%`}`;

/** A list of texts as one parameter. */
export const textList = (values: readonly string[]): SQL =>
  sql`(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
