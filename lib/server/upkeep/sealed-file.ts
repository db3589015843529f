import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/**
 * A file sealed with a passphrase: scrypt makes the key, AES-256-GCM seals pieces of 64 KiB. The number of a piece, and
 * whether it is the last, are in its nonce, so that none can be left out, moved or cut off, and nothing is read that was
 * not found genuine.
 */
const MAGIC = Buffer.from("signal-backup 1\n");
const SALT_BYTES = 16;
const PIECE_BYTES = 65_536;
const TAG_BYTES = 16;

/** The passphrase is another one, or the file was changed. */
export class UnsealError extends Error {
  constructor(what: string) {
    super(what);
    this.name = "UnsealError";
  }
}

/** N, r and p as OWASP recommends for an interactive use; one derivation takes about 50 ms and 32 MiB. */
function deriveKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((done, fail) =>
    scrypt(passphrase, salt, 32, { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 }, (error, key) =>
      error ? fail(error) : done(key),
    ),
  );
}

function nonceOf(piece: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(piece, 2, 6);
  nonce.writeUInt8(isLast ? 1 : 0, 11);
  return nonce;
}

/** The sealed bytes of a plain stream, head first. */
export async function* seal(plain: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const head = Buffer.concat([MAGIC, randomBytes(SALT_BYTES)]);
  const key = await deriveKey(passphrase, head.subarray(MAGIC.length));
  yield head;
  let piece = 0;
  const sealed = (bytes: Buffer, isLast: boolean) => {
    const cipher = createCipheriv("aes-256-gcm", key, nonceOf(piece++, isLast));
    cipher.setAAD(head);
    return Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  };
  let waiting: Buffer = Buffer.alloc(0);
  for await (const bytes of plain) {
    waiting = Buffer.concat([waiting, bytes]);
    let from = 0;
    // The last piece is never empty of meaning: what is left at the end is sealed as the last one, were it nothing.
    for (; waiting.length - from > PIECE_BYTES; from += PIECE_BYTES)
      yield sealed(waiting.subarray(from, from + PIECE_BYTES), false);
    waiting = waiting.subarray(from);
  }
  yield sealed(waiting, true);
}

/** The plain bytes of a sealed file. Throws UnsealError before it gives out a byte that is not genuine. */
export async function* unseal(file: FileHandle, passphrase: string): AsyncGenerator<Buffer> {
  const { size } = await file.stat();
  const head = await readAt(file, 0, MAGIC.length + SALT_BYTES);
  if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw new UnsealError("This file is not a backup.");
  const key = await deriveKey(passphrase, head.subarray(MAGIC.length));
  let at = head.length;
  for (let piece = 0; ; piece++) {
    const length = Math.min(PIECE_BYTES + TAG_BYTES, size - at);
    const isLast = at + length === size;
    if (length < TAG_BYTES) throw new UnsealError("The file was cut off.");
    const sealed = await readAt(file, at, length);
    const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(piece, isLast), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(head);
    decipher.setAuthTag(sealed.subarray(length - TAG_BYTES));
    let plain: Buffer;
    try {
      plain = Buffer.concat([decipher.update(sealed.subarray(0, length - TAG_BYTES)), decipher.final()]);
    } catch {
      const why =
        piece === 0 ? "The passphrase is another one, or the file was changed." : "The file was changed.";
      throw new UnsealError(why);
    }
    yield plain;
    if (isLast) return;
    at += length;
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, position + read);
    if (bytesRead === 0) throw new UnsealError("The file was cut off.");
    read += bytesRead;
  }
  return buffer;
}
