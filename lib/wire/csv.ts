import { writeInstant } from "./json";

/** A cell: text is guarded, numbers and instants are written as they are, null is an empty cell. */
export type CsvCell = { text: string | null } | { number: string | number | null } | { at: Date | null };

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
