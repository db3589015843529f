import { type SQL, sql } from "drizzle-orm";

/**
 * Text for comparison in searches: without accents, in small letters, composed and decomposed alike. Written once here
 * for JavaScript and once for SQL, so that both agree in every locale of the database: under the locale C, `lower` and
 * ILIKE know ASCII alone.
 */

/** Letters that are no base letter with an accent, and what people type for them. */
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
  // Greek has a second small letter for the end of a word.
  ς: "σ",
};
const LIGATURES: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", œ: "oe", þ: "th" };

/** Capitals beyond ASCII, up to the Armenian ones, that NFKD leaves as they are. */
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

/** Signs of ASCII that are neither letter nor digit, which part words; a pattern in JavaScript and in PostgreSQL. */
const PARTING = "[ -/:-@[-`{-~]+";

/** A text as searches compare it. */
export const fold = (text: string): string =>
  [...text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "")]
    .map((letter) => SINGLE.get(letter) ?? letter.toLowerCase())
    .join("")
    .replace(/[ßæœþ]/g, (letter) => LIGATURES[letter] ?? letter);

/** The words of a text as searches compare them. */
export const foldedWords = (text: string): string[] =>
  fold(text)
    .split(new RegExp(PARTING))
    .filter((word) => word !== "");

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The text of the SQL that folds a column or an expression. */
const foldSql = (source: string): string =>
  Object.entries(LIGATURES).reduce(
    (inner, [ligature, letters]) => `replace(${inner}, ${literal(ligature)}, ${literal(letters)})`,
    `lower(translate(regexp_replace(normalize(${source}, NFKD), '[\\u0300-\\u036f]', '', 'g'), ${literal(FROM)}, ${literal(TO)}) collate "C")`,
  );

/** A column or expression of the source's own SQL as searches compare it. Text in ASCII takes the short way. */
export const foldedText = (source: string): SQL =>
  sql.raw(`(case when ${source} ~ '[^ -~]' then ${foldSql(source)} else lower(${source}) end)`);

/**
 * The words of a subscriber's name and address, for an index and the search that uses it. `prefix` is the alias of the
 * table with its dot, or nothing.
 */
export const personWords = (prefix = ""): SQL => {
  const both = `${prefix}user_name || ' ' || coalesce(${prefix}email, '')`;
  const parted = `regexp_replace(${foldSql(`(${both})`)}, ${literal(PARTING)}, ' ', 'g')`;
  return sql.raw(`array_to_tsvector(array_remove(string_to_array(${parted}, ' '), ''))`);
};

/** A subscriber's folded name, address and notes in one text for searches, separated by a character that no one types. */
export const personText = (): SQL =>
  sql.join(
    ["user_name", "coalesce(email, '')", "coalesce(notes, '')"].map(foldedText),
    sql.raw(" || chr(31) || "),
  );
