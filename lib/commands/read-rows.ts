import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { parse } from "csv-parse";

export type Row = Record<string, unknown>;

/**
 * Rows of a CSV (with a header) or NDJSON file, gzipped or not, as they are read. A file named
 * `{SYMBOL}_{TIMEFRAME}.csv` lends both to rows that do not name them. Numbers in CSV columns become numbers.
 */
export async function* readRows(path: string): AsyncGenerator<Row> {
  const named = /^([A-Za-z0-9.-]+)_([A-Za-z]+[0-9]+)\./.exec(basename(path));
  const defaults: Row = named ? { symbol: named[1], timeframe: named[2] } : {};
  const file = createReadStream(path);
  const stream: Readable = path.endsWith(".gz") ? file.pipe(createGunzip()) : file;
  // pipe() does not hand errors on: a file that cannot be read must end the loop below.
  file.on("error", (error) => stream.destroy(error));
  if (/\.(ndjson|jsonl)(\.gz)?$/.test(path)) {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() !== "") yield { ...defaults, ...JSON.parse(line) };
    }
    return;
  }
  for await (const record of stream.pipe(
    parse({ columns: true, bom: true, skip_empty_lines: true, trim: true }),
  )) {
    const row: Row = { ...defaults };
    for (const [name, text] of Object.entries<string>(record)) row[name] = readCell(text);
    yield row;
  }
}

function readCell(text: string): unknown {
  if (text === "") return null;
  if (/^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text)) return Number(text);
  if (text === "true" || text === "false") return text === "true";
  return text;
}
