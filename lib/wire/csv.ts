import { writeInstant } from "./json";

/** A cell: text is guarded, numbers and instants are written as they are, null is an empty cell. */
export type CsvCell = { text: string | null } | { number: string | number | null } | { at: Date | null };

export const csvText = (text: string | null): CsvCell => ({ text });
export const csvNumber = (number: string | number | null): CsvCell => ({ number });
export const csvTime = (at: Date | null): CsvCell => ({ at });
export const csvList = (values: readonly string[] | null): CsvCell => ({ text: values?.join(" ") ?? null });

/** What the table has of each field of a row, in this order: its name and its cell, or null for what it leaves out. */
export type CsvColumns<Row> = {
  [K in keyof Row]: readonly [name: string, cell: (value: Row[K]) => CsvCell] | null;
};

/**
 * Rows as CSV, chunk by chunk; the first one is the header. `nextRows` gives the next ones each time it is called, and
 * none at the end. Between two chunks nothing but text is held.
 */
export async function* csvOf<Row extends object>(
  columns: CsvColumns<Row>,
  nextRows: () => Promise<readonly Row[]>,
): AsyncGenerator<string, void> {
  const written: { name: string; cell: (row: Row) => CsvCell }[] = [];
  for (const field in columns) {
    const column = columns[field];
    if (column) written.push({ name: column[0], cell: (row) => column[1](row[field]) });
  }
  yield csvRecord(written.map(({ name }) => ({ text: name })));
  const nextText = async () =>
    (await nextRows()).map((row) => csvRecord(written.map(({ cell }) => cell(row)))).join("");
  for (let text = await nextText(); text !== ""; text = await nextText()) yield text;
}

/** A spreadsheet takes a text that begins with one of these as a formula. */
const FORMULA_START = /^[=+\-@\t\r\0]/;

/**
 * One record of RFC 4180: fields that hold a comma, a quote or a line break are quoted, quotes doubled, CRLF at the
 * end. Text that a spreadsheet would run as a formula gets an apostrophe before it. Numbers never do, because they may
 * begin with a minus sign.
 */
export function csvRecord(cells: readonly CsvCell[]): string {
  return `${cells.map((cell) => quoted(written(cell))).join(",")}\r\n`;
}

function written(cell: CsvCell): string {
  if ("at" in cell) return cell.at === null ? "" : writeInstant(cell.at);
  if ("number" in cell) return cell.number === null ? "" : String(cell.number);
  const text = cell.text ?? "";
  return FORMULA_START.test(text) ? `'${text}` : text;
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
