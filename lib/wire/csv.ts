import { writeInstant } from "./json";

/**
 * A CSV cell. `text` is guarded against formulas; `number` is written unchanged; `at` is written as an instant in whole
 * seconds; `digits` is an identifier such as a ticket, not a number. null is an empty cell.
 */
export type CsvCell =
  | { text: string | null }
  | { number: string | number | null }
  | { digits: string | null }
  | { at: Date | null };

/**
 * The program that reads the file. Excel accepts UTF-8 only with a byte order mark, and rounds numbers to 15 digits, so
 * a file for it has the mark, and identifiers made of digits are written as text. A file for other programs has
 * neither.
 */
export type CsvTarget = "program" | "excel";

const BYTE_ORDER_MARK = "\uFEFF";

/** The target that the query parameter `for` of a download's address names; `program` by default. */
export const csvTargetOf = (address: string): CsvTarget =>
  new URL(address, "http://here.invalid").searchParams.get("for") === "excel" ? "excel" : "program";

export const csvText = (text: string | null): CsvCell => ({ text });
export const csvNumber = (number: string | number | null): CsvCell => ({ number });
export const csvDigits = (digits: string | null): CsvCell => ({ digits });
export const csvTime = (at: Date | null): CsvCell => ({ at });
export const csvList = (values: readonly string[] | null): CsvCell => ({ text: values?.join(" ") ?? null });

/** The column of each field of a row, in the order of the file: its name and its cell. null leaves the field out. */
export type CsvColumns<Row> = {
  [K in keyof Row]: readonly [name: string, cell: (value: Row[K]) => CsvCell] | null;
};

/**
 * Rows as CSV, chunk by chunk; the first chunk is the header. Each call of `nextRows` returns the next rows, and an
 * empty list at the end. Between two chunks only text is kept in memory.
 */
export async function* csvOf<Row extends object>(
  columns: CsvColumns<Row>,
  nextRows: () => Promise<readonly Row[]>,
  reader: CsvTarget = "program",
): AsyncGenerator<string, void> {
  const written: { name: string; cell: (row: Row) => CsvCell }[] = [];
  for (const field in columns) {
    const column = columns[field];
    if (column) written.push({ name: column[0], cell: (row) => column[1](row[field]) });
  }
  const mark = reader === "excel" ? BYTE_ORDER_MARK : "";
  yield mark + csvRecord(written.map(({ name }) => ({ text: name })));
  const nextText = async () =>
    (await nextRows())
      .map((row) =>
        csvRecord(
          written.map(({ cell }) => cell(row)),
          reader,
        ),
      )
      .join("");
  for (let text = await nextText(); text !== ""; text = await nextText()) yield text;
}

/** Spreadsheets treat text that begins with one of these characters as a formula. */
const FORMULA_START = /^[=+\-@\t\r\0＝＋－＠]/;
/** Matches text that Excel would convert to a number and so shorten or round. */
const LOOKS_NUMERIC = /^(?:[0-9]{12,}|0[0-9]+)$/;

/**
 * One record of RFC 4180, with CRLF at its end. Fields with a comma, a quote or a line break are quoted, and quotes are
 * doubled. Text that a spreadsheet would run as a formula gets an apostrophe in front; numbers do not, because they may
 * begin with a minus sign.
 */
export function csvRecord(cells: readonly CsvCell[], reader: CsvTarget = "program"): string {
  return `${cells.map((cell) => quoted(written(cell, reader))).join(",")}\r\n`;
}

function written(cell: CsvCell, reader: CsvTarget): string {
  if ("at" in cell) return cell.at === null ? "" : writeInstant(cell.at);
  if ("number" in cell) return cell.number === null ? "" : String(cell.number);
  const text = ("digits" in cell ? cell.digits : cell.text) ?? "";
  // This formula is safe: its text contains only digits.
  if (reader === "excel" && ("digits" in cell ? /^[0-9]+$/ : LOOKS_NUMERIC).test(text)) return `="${text}"`;
  if ("digits" in cell) return text;
  return FORMULA_START.test(text) ? `'${text}` : text;
}

function quoted(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
