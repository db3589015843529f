import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";

const compress = promisify(deflateRaw);

/**
 * A document with a gap at each place where its answer's nonce stands. It is compressed once, for every nonce. An answer is
 * a row of buffers of which all but the smallest are the document's own: a copy for each answer would be memory outside the
 * heap, and some thousand of those a second set the collector off several times a second.
 */
export interface GappedDocument {
  fill(nonce: string): readonly Buffer[];
  /** The same document in gzip's format. */
  fillGzipped(nonce: string): readonly Buffer[];
}

// RFC 1952: magic number, deflate, no flags, no time, no extra flags, unknown system.
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** A last block without content. */
const LAST_BLOCK = Buffer.from([3, 0]);

/** A document cut at its gaps: the pieces as they are, and each of them compressed. It can be sent to another thread. */
export interface CutDocument {
  pieces: readonly Uint8Array[];
  deflated: readonly Uint8Array[];
}

/**
 * Cuts a document at every `mark`.
 *
 * Each piece is compressed by itself and ends on a whole byte, so that the nonce fits between two of them as a stored
 * block (RFC 1951, 3.2.4).
 */
export async function cutDocument(html: string, mark: string): Promise<CutDocument> {
  // Arrays of their own: of a slice the whole memory that it lies in would be sent.
  const pieces = html.split(mark).map((piece) => new Uint8Array(Buffer.from(piece)));
  const deflated = await Promise.all(
    pieces.map(
      async (piece) => new Uint8Array(await compress(piece, { finishFlush: constants.Z_SYNC_FLUSH })),
    ),
  );
  return { pieces, deflated };
}

/** The document with its gaps. Only the check sum at the end is computed for each answer. */
export function gappedDocument(cut: CutDocument): GappedDocument {
  const [pieces, deflated] = [cut.pieces.map(bufferOf), cut.deflated.map(bufferOf)];
  const sums = pieces.map(checkSumAfter);
  const length = pieces.reduce((total, piece) => total + piece.length, 0);
  return {
    fill: (nonce) => between(pieces, Buffer.from(nonce)),
    fillGzipped: (nonce) => {
      const bytes = Buffer.from(nonce);
      const trailer = Buffer.allocUnsafe(8);
      trailer.writeUInt32LE(
        sums.reduce((sum, after, index) => after(index === 0 ? 0 : crc32(bytes, sum)), 0),
      );
      trailer.writeUInt32LE((length + bytes.length * (pieces.length - 1)) % 2 ** 32, 4);
      return [GZIP_HEAD, ...between(deflated, storedBlock(bytes)), LAST_BLOCK, trailer];
    },
  };
}

/** The same bytes, which come from another thread as a plain array. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The pieces with `gap` between each two of them. */
function between(pieces: readonly Buffer[], gap: Buffer): Buffer[] {
  return pieces.flatMap((piece, index) => (index === 0 ? [piece] : [gap, piece]));
}

const SUM_BITS = 32;

/**
 * The check sum (CRC-32) after a piece as a function of the one before it. Each bit before changes the sum after by a
 * pattern of its own, whatever the other bits are; with the 32 patterns no answer has to go over the piece again. Most
 * pages are asked for once or twice: patterns are made when as many answers have gone over the piece as making them does.
 */
function checkSumAfter(piece: Buffer): (before: number) => number {
  // zlib's check sum of nothing starts anew.
  if (piece.length === 0) return (before) => before;
  const afterZero = crc32(piece, 0);
  let nSums = 0;
  let patterns: readonly number[] | null = null;
  return (before) => {
    if (before === 0) return afterZero;
    if (nSums++ < SUM_BITS) return crc32(piece, before);
    patterns ??= Array.from({ length: SUM_BITS }, (_, bit) => crc32(piece, (1 << bit) >>> 0) ^ afterZero);
    return (
      patterns.reduce((sum, pattern, bit) => ((before >>> bit) & 1 ? sum ^ pattern : sum), afterZero) >>> 0
    );
  };
}

/** Bytes as they are, as a block of a deflated stream: not the last one, its length, and the length's complement. */
function storedBlock(bytes: Buffer): Buffer {
  const head = Buffer.allocUnsafe(5);
  head[0] = 0;
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(~bytes.length & 0xffff, 3);
  return Buffer.concat([head, bytes]);
}
