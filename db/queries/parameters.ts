import { type SQL, sql } from "drizzle-orm";
import { foldedTextSql, foldForSearch } from "@/db/schema/folding";

/** SQL of an array as one parameter of the statement: with `unnest`, 5,000 rows of 7 columns are 7 parameters, not 35,000. */
export function array(
  values: readonly (number | string | null)[],
  type: "int" | "bigint" | "float8" | "text" | "timestamptz",
): SQL {
  const literal = `{${values.map((value) => (typeof value === "string" ? quoted(value) : String(value))).join(",")}}`;
  return sql`${literal}::${sql.raw(type)}[]`;
}

/** Quotes text as an element of an array literal, where only quotes and backslashes must be escaped. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** Escapes the wildcards of LIKE. */
export const escapeLikeWildcards = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** SQL condition: a column contains a text, ignoring case and accents. Wildcards in the text are escaped. */
export const containsFolded = (column: string, text: string): SQL =>
  sql`${foldedTextSql(column)} like ${`%${escapeLikeWildcards(foldForSearch(text))}%`}`;

/** SQL condition: a column that is stored folded (lower case, no accents) contains a text, ignoring case and accents. */
export const foldedColumnContains = (column: string, text: string): SQL =>
  sql`${sql.raw(column)} like ${`%${escapeLikeWildcards(foldForSearch(text))}%`}`;

/** SQL of a subquery that returns these texts, for use after `in`. All texts together are one parameter. */
export const textList = (values: readonly string[]): SQL =>
  sql`(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
