import { END_OF_ROWS } from "./dump";

/** A part of a backup: a JSON line, rows of the table that the newest JSON line names, or the end of these rows. */
export type BackupPiece = { line: string } | { rows: Buffer } | { end: true };

const NEWLINE = 10;

/** Splits a backup into its JSON lines and, after the line of a table, chunks of this table's rows. */
export async function* readPieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<BackupPiece> {
  // Starts at the beginning of a line.
  let buffer: Buffer = Buffer.alloc(0);
  let isInRows = false;
  for await (const chunk of bytes) {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk]);
    for (;;) {
      if (isInRows) {
        const stop = endOfRows(buffer);
        const upTo = stop ?? buffer.lastIndexOf(NEWLINE) + 1;
        if (upTo > 0) yield { rows: buffer.subarray(0, upTo) };
        buffer = buffer.subarray(upTo);
        if (stop === null) break;
        buffer = buffer.subarray(END_OF_ROWS.length);
        isInRows = false;
        yield { end: true };
      } else {
        const at = buffer.indexOf(NEWLINE);
        if (at < 0) break;
        const line = buffer.toString("utf8", 0, at);
        buffer = buffer.subarray(at + 1);
        isInRows = line.startsWith('{"table":');
        yield { line };
      }
    }
  }
  if (buffer.length > 0 || isInRows) throw new Error("the backup is truncated");
}

/** Offset at which the rows end; null: their end is not in the data read so far. */
function endOfRows(buffer: Buffer): number | null {
  if (buffer.subarray(0, END_OF_ROWS.length).toString("latin1") === END_OF_ROWS) return 0;
  const at = buffer.indexOf(`\n${END_OF_ROWS}`, 0, "latin1");
  return at < 0 ? null : at + 1;
}
