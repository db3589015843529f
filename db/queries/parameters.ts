import { type Column, type SQL, sql } from "drizzle-orm";

/** A PostgreSQL array literal as one parameter: 5,000 rows are 7 parameters, not 35,000. */
export function array(
  values: readonly (number | string | null)[],
  type: "int" | "bigint" | "float8" | "text" | "timestamptz",
): SQL {
  const literal = `{${values.map((value) => (typeof value === "string" ? quoted(value) : String(value))).join(",")}}`;
  return sql`${literal}::${sql.raw(type)}[]`;
}

/** Text as an element of an array literal: only the quote and the backslash mean something there. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** Escapes the wildcards of LIKE. */
export const escaped = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** Capitals beyond ASCII that are no letter with an accent, and their small letters. */
const CAPITALS = [
  ..."ÆÐØÞĐĦŁŊŒŦẞƏ",
  ...Array.from({ length: 25 }, (_, n) => String.fromCharCode(0x391 + n)),
  ...Array.from({ length: 48 }, (_, n) => String.fromCharCode(0x400 + n)),
].filter((letter) => letter !== "\u03a2" && letter.normalize("NFKD") === letter);
const SMALL = CAPITALS.map((letter) => letter.toLowerCase());
/** Greek has a second small letter for the end of a word. */
const FINAL_SIGMA = "ς";
const FROM = CAPITALS.join("") + FINAL_SIGMA;
const TO = `${SMALL.join("")}σ`;

/** A text for comparison in a search: without accents, in small letters, composed and decomposed alike. */
export const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replaceAll(FINAL_SIGMA, "σ");

/** The same in SQL. Under the locale C, `lower` and ILIKE know the letters of ASCII alone. */
export const folded = (column: SQL | Column): SQL => sql`(case when ${column} ~ '[^ -~]'
  then lower(translate(regexp_replace(normalize(${column}, NFKD), ${"[\u0300-\u036f]"}, '', 'g'), ${FROM}, ${TO}))
  else lower(${column}) end)`;

/** Whether a column contains a text, whatever its case and accents. The text's own wildcards are taken as they stand. */
export const containsFolded = (column: SQL | Column, text: string): SQL =>
  sql`${folded(column)} like ${`%${escaped(fold(text))}%`}`;

/** The words of a list, as one parameter. */
export const words = (values: readonly string[]): SQL =>
  sql`(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
