import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createGunzip } from "node:zlib";
import { parse } from "csv-parse";
import { parse as parseCsv } from "csv-parse/sync";
import { parseBrokerDate } from "@/lib/market/broker-dates";
import { instantOf, type WallClock } from "@/lib/market/clock";
import { parseBrokerTimeframe } from "@/lib/market/timeframes";
import { readJson } from "@/lib/wire/json";

export type UploadedRow = Record<string, unknown>;

/** Error: a file does not have the form that its name or content suggests. The message contains no data of the file. */
export class FileProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "FileProblem";
  }
}

/** `{SYMBOL}_{TIMEFRAME}.csv`, and MetaTrader 5's own `EURUSD_H1_202401020000_202411221200.csv`. */
const NAMED = /^([A-Za-z0-9.#-]+)_([A-Za-z]+[0-9]*)(?:_[0-9]{8,12}){0,2}\./;
/** MetaTrader 4's `EURUSD60.csv`. */
const NAMED_BY_MINUTES = /^([A-Za-z0-9.#-]*[A-Za-z.#-])(1|5|15|30|60|240|1440|10080|43200)\./;
const LONG_NAMES: Record<string, string> = { Daily: "D1", Weekly: "W1", Monthly: "MN1" };
const METATRADER_DAY = /^[0-9]{4}\.[0-9]{2}\.[0-9]{2}$/;

/** Columns of MetaTrader 5's exports by their header. Exports of MetaTrader 4 have no header. */
const METATRADER_5: Record<string, string> = {
  "<DATE>": "date",
  "<TIME>": "time",
  "<OPEN>": "open",
  "<HIGH>": "high",
  "<LOW>": "low",
  "<CLOSE>": "close",
  "<TICKVOL>": "volume",
};
const METATRADER_4 = ["date", "time", "open", "high", "low", "close", "volume"];

/**
 * Streams the rows of a CSV or NDJSON file, gzipped or not: CSV with a header, or MetaTrader's exports of bars. A file
 * named `{SYMBOL}_{TIMEFRAME}.csv` gives symbol and timeframe to rows without them. Numeric CSV cells become numbers.
 * The times of a MetaTrader export are read as times of `clock`, its server's clock. Throws FileProblem for a
 * MetaTrader export without `clock` or with an unreadable time, and the parser's error for other faults.
 */
export async function* readRows(path: string, clock: WallClock | null = null): AsyncGenerator<UploadedRow> {
  const named = NAMED.exec(basename(path)) ?? NAMED_BY_MINUTES.exec(basename(path));
  const [, symbol, timeframe = ""] = named ?? [];
  const code = LONG_NAMES[timeframe] ?? parseBrokerTimeframe(timeframe) ?? timeframe;
  const defaults: UploadedRow = named ? { symbol, timeframe: code } : {};
  if (/\.(ndjson|jsonl)(\.gz)?$/.test(path)) {
    for await (const line of linesOf(openFile(path))) {
      if (line.trim() !== "") yield { ...defaults, ...JSON.parse(line) };
    }
    return;
  }
  const is4 = METATRADER_DAY.test(await firstCell(path));
  let isMetaTrader = is4;
  const records = parse({
    columns: (first: string[]) => {
      isMetaTrader = first.includes("<DATE>");
      return first.map((name) => (isMetaTrader ? (METATRADER_5[name] ?? name) : name));
    },
    // MetaTrader 5 separates columns by tabs; other files with a header may too.
    delimiter: [",", "\t", ";"],
    bom: true,
    skip_empty_lines: true,
    trim: true,
    record_delimiter: ["\r\n", "\n"],
    ...(is4 ? { columns: METATRADER_4 } : {}),
  });
  for await (const record of handOn(openFile(path), records)) {
    const row: UploadedRow = { ...defaults };
    for (const [name, text] of Object.entries<string>(record)) row[name] = readCell(text);
    if (isMetaTrader) row.ts = serverTime(row, clock);
    yield row;
  }
}

/** The time at which a bar of a MetaTrader export opens, in ISO format. Bars of a day or longer have no time column. */
function serverTime(row: UploadedRow, clock: WallClock | null): string {
  if (clock === null)
    throw new FileProblem(
      "is a MetaTrader export, which uses the server's time: name that clock, such as new_york or utc+2",
    );
  const shown = parseBrokerDate(`${row.date} ${row.time ?? "00:00"}`);
  if (!shown.ok || shown.at === null) throw new FileProblem("has a date or time that cannot be read");
  return instantOf(clock, shown.at).toISOString();
}

function openFile(path: string): Readable {
  const file = createReadStream(path);
  return path.endsWith(".gz") ? handOn(file, createGunzip()) : file;
}

/** The text before the first comma of a file. A date there marks an export of MetaTrader 4, which has no header. */
async function firstCell(path: string): Promise<string> {
  for await (const line of linesOf(openFile(path)))
    return (
      line
        .replace(/^\uFEFF/, "")
        .split(",")[0]
        ?.trim() ?? ""
    );
  return "";
}

/**
 * Pipes one stream into another and passes failures on. After pipe() alone, a failure of the first would
 * leave the reader waiting forever.
 */
function handOn<T extends Transform>(from: Readable, to: T): T {
  pipeline(from, to, () => undefined);
  return to;
}

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream.setEncoding("utf8")) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest;
}

/**
 * Parses the rows of an uploaded text: a request body of the API (`{"items": [...]}`), a JSON array, NDJSON, or CSV
 * with a header. Throws FileProblem.
 */
export function parseUploadedRows(text: string): UploadedRow[] {
  const rows = parsedRows(text);
  if (rows.length === 0) throw new FileProblem("The file has no rows.");
  return rows;
}

function parsedRows(text: string): UploadedRow[] {
  const content = text.replace(/^\uFEFF/, "").trim();
  if (content.includes("\0")) throw new FileProblem("The file is not text.");
  if (content === "") throw new FileProblem("The file is empty.");
  if (/^[[{]/.test(content)) return jsonRows(content);
  try {
    const records: Record<string, string>[] = parseCsv(content, {
      columns: true,
      delimiter: [",", "\t", ";"],
      skip_empty_lines: true,
      trim: true,
    });
    return records.map((record) =>
      Object.fromEntries(Object.entries(record).map(([name, cell]) => [name, readCell(cell)])),
    );
  } catch {
    throw new FileProblem(
      "The file is neither JSON nor CSV with a header and equally long rows. Separate cells by commas, and write decimals with a point.",
    );
  }
}

function jsonRows(content: string): UploadedRow[] {
  const read = (json: string): unknown => {
    try {
      return readJson(json);
    } catch {
      return undefined;
    }
  };
  const whole = read(content);
  if (whole !== undefined) {
    const items = Array.isArray(whole) ? whole : (whole as UploadedRow).items;
    // A single object may be one row of NDJSON.
    return Array.isArray(items) ? items : [whole as UploadedRow];
  }
  return content
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line, index) => {
      const row = read(line);
      if (typeof row !== "object" || row === null || Array.isArray(row))
        throw new FileProblem(`Line ${index + 1} is not a JSON object.`);
      return row as UploadedRow;
    });
}

function readCell(text: string): unknown {
  if (text === "") return null;
  if (/^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text)) return Number(text);
  if (text === "true" || text === "false") return text === "true";
  return text;
}
