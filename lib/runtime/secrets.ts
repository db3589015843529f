import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { env } from "./env";

/** SHA-256 in hexadecimal. Fit for keys and tokens, which are random; never for passwords. */
export function sha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Compares two secrets in time that depends on neither's content nor length. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest());
}

const VERSION = "v1";

/** AES-256-GCM under ENCRYPTION_KEY, for what must be read again later: queued keys, payment payloads. */
export function encrypt(plain: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", encryptionKey(), nonce);
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return [
    VERSION,
    nonce.toString("base64url"),
    body.toString("base64url"),
    cipher.getAuthTag().toString("base64url"),
  ].join(".");
}

/** Reverses `encrypt`. Throws when the text was changed or the key is another one. */
export function decrypt(sealed: string): string {
  const [version, nonce, body, tag] = sealed.split(".");
  if (version !== VERSION || !nonce || body === undefined || !tag) throw new Error("not an encrypted value");
  const decipher = createDecipheriv("aes-256-gcm", encryptionKey(), Buffer.from(nonce, "base64url"), {
    // Without this length Node accepts a tag cut down to four bytes, which can be guessed.
    authTagLength: 16,
  });
  decipher.setAuthTag(Buffer.from(tag, "base64url"));
  return Buffer.concat([decipher.update(Buffer.from(body, "base64url")), decipher.final()]).toString("utf8");
}

function encryptionKey(): Buffer {
  return createHash("sha256").update(`encryption:${env().encryptionKey}`).digest();
}
