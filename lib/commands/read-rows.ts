import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { pipeline, type Readable, type Transform } from "node:stream";
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
  const stream = path.endsWith(".gz") ? handOn(file, createGunzip()) : file;
  if (/\.(ndjson|jsonl)(\.gz)?$/.test(path)) {
    for await (const line of linesOf(stream)) {
      if (line.trim() !== "") yield { ...defaults, ...JSON.parse(line) };
    }
    return;
  }
  const records = parse({
    columns: true,
    bom: true,
    skip_empty_lines: true,
    trim: true,
    record_delimiter: ["\r\n", "\n"],
  });
  for await (const record of handOn(stream, records)) {
    const row: Row = { ...defaults };
    for (const [name, text] of Object.entries<string>(record)) row[name] = readCell(text);
    yield row;
  }
}

/**
 * Joins two streams so that a failure of the first ends the second as well. With pipe() alone its reader would wait for
 * ever.
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

function readCell(text: string): unknown {
  if (text === "") return null;
  if (/^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text)) return Number(text);
  if (text === "true" || text === "false") return text === "true";
  return text;
}
