import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/**
 * The first bytes of a backup, which is a file encrypted with a passphrase: key from scrypt, pieces of 64 KiB encrypted
 * with AES-256-GCM. The nonce of a piece contains its number and whether it is the last one, so that pieces cannot be left
 * out, moved or cut off. Only authenticated bytes are returned.
 */
const MAGIC = Buffer.from("signal-backup 1\n");
const SALT_BYTES = 16;
const PIECE_BYTES = 65_536;
const TAG_BYTES = 16;

/** Thrown if the passphrase is wrong, or the file was changed, is truncated or is no backup. */
export class UnsealError extends Error {
  constructor(what: string) {
    super(what);
    this.name = "UnsealError";
  }
}

/** Derives the key with scrypt. N, r and p are one of OWASP's recommendations; one derivation takes 32 MiB. */
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

/** The encrypted bytes of a stream, header first. */
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
    // The remainder is always written as the last piece, even if it is empty.
    for (; waiting.length - from > PIECE_BYTES; from += PIECE_BYTES)
      yield sealed(waiting.subarray(from, from + PIECE_BYTES), false);
    waiting = waiting.subarray(from);
  }
  yield sealed(waiting, true);
}

/** The decrypted bytes of a file. Throws UnsealError before it returns a byte that is not authentic. */
export async function* unseal(file: FileHandle, passphrase: string): AsyncGenerator<Buffer> {
  const { size } = await file.stat();
  const head = await readAt(file, 0, MAGIC.length + SALT_BYTES);
  if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw new UnsealError("This file is not a backup.");
  const key = await deriveKey(passphrase, head.subarray(MAGIC.length));
  let at = head.length;
  for (let piece = 0; ; piece++) {
    const length = Math.min(PIECE_BYTES + TAG_BYTES, size - at);
    const isLast = at + length === size;
    if (length < TAG_BYTES) throw new UnsealError("The file is truncated.");
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
      const why = piece === 0 ? "The passphrase is wrong, or the file was changed." : "The file was changed.";
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
    if (bytesRead === 0) throw new UnsealError("The file is truncated.");
    read += bytesRead;
  }
  return buffer;
}
