import { type SQL, sql } from "drizzle-orm";

/**
 * Folding of text for searches: to lower case and without accents, whether these are composed or decomposed. Implemented
 * for JavaScript and for SQL with the same result in every locale: in the locale C, PostgreSQL's `lower` and ILIKE support
 * only ASCII.
 */

/** Lower-case letters that Unicode does not decompose, and the letters that people type for them. */
const LETTERS: Readonly<Record<string, string>> = {
  ł: "l",
  ø: "o",
  đ: "d",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ŋ: "n",
  ı: "i",
  ə: "e",
  // The Greek small sigma at the end of a word.
  ς: "σ",
};
const LIGATURES: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", þ: "th" };

/** Capital letters beyond ASCII, up to the Armenian ones, that the decomposition NFKD leaves unchanged. */
const CAPITALS = Array.from({ length: 0x557 - 0x80 }, (_, n) => String.fromCharCode(0x80 + n)).filter(
  (letter) =>
    letter.toLowerCase() !== letter &&
    letter.toLowerCase().length === 1 &&
    letter.normalize("NFKD") === letter,
);
const small = (letter: string) => LETTERS[letter.toLowerCase()] ?? letter.toLowerCase();
const SINGLE = new Map([
  ...CAPITALS.map((letter) => [letter, small(letter)] as const),
  ...Object.entries(LETTERS),
]);
const FROM = [...SINGLE.keys()].join("");
const TO = [...SINGLE.values()].join("");

/** Regular expression, for JavaScript and PostgreSQL, of the ASCII characters that separate words. */
const PARTING = "[ -/:-@[-`{-~]+";

/** Folds a text for searches: lower case, without accents. */
export const foldForSearch = (text: string): string =>
  [...text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "")]
    .map((letter) => SINGLE.get(letter) ?? letter.toLowerCase())
    .join("")
    .replace(/[ßæœþ]/g, (letter) => LIGATURES[letter] ?? letter);

/** The folded words of a text. */
export const foldedWords = (text: string): string[] =>
  foldForSearch(text)
    .split(new RegExp(PARTING))
    .filter((word) => word !== "");

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** SQL with the result of `foldForSearch` for a column or expression: lower case, without accents. */
const foldSql = (source: string): string =>
  Object.entries(LIGATURES).reduce(
    (inner, [ligature, letters]) => `replace(${inner}, ${literal(ligature)}, ${literal(letters)})`,
    `lower(translate(regexp_replace(normalize(${source}, NFKD), '[\\u0300-\\u036f]', '', 'g'), ${literal(FROM)}, ${literal(TO)}) collate "C")`,
  );

/** SQL with the result of `foldForSearch` for a column or expression, with a faster branch for ASCII text. */
export const foldedTextSql = (source: string): SQL =>
  sql.raw(`(case when ${source} ~ '[^ -~]' then ${foldSql(source)} else lower(${source}) end)`);

/**
 * SQL: a tsvector of the folded words of a subscriber's name and address, for the search index. `prefix` is the table alias
 * with its dot, or empty.
 */
export const personSearchVector = (prefix = ""): SQL => {
  const both = `${prefix}user_name || ' ' || coalesce(${prefix}email, '')`;
  const parted = `regexp_replace(${foldSql(`(${both})`)}, ${literal(PARTING)}, ' ', 'g')`;
  return sql.raw(`array_to_tsvector(array_remove(string_to_array(${parted}, ' '), ''))`);
};

/** SQL: a subscriber's folded name, address and notes as one text, separated by a control character. */
export const personSearchText = (): SQL =>
  sql.join(
    ["user_name", "coalesce(email, '')", "coalesce(notes, '')"].map(foldedTextSql),
    sql.raw(" || chr(31) || "),
  );
