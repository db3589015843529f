import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { env } from "./env";

/** SHA-256 in hexadecimal. Use it for random keys and tokens, never for passwords. */
export function sha256(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Compares two secrets in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash("sha256").update(a).digest(), createHash("sha256").update(b).digest());
}

/** HMAC-SHA256 of a text under the session secret (NEXTAUTH_SECRET), valid for one purpose only. */
export const signText = (purpose: string, text: string): string =>
  signatureOf(purpose, text, env().nextauthSecret);

/**
 * Whether `signText` made this signature for the purpose, with the current session secret or one accepted during its
 * rotation.
 */
export function isSigned(purpose: string, text: string, signature: string): boolean {
  const { nextauthSecret, alternates } = env();
  return [nextauthSecret, ...alternates.NEXTAUTH_SECRET].some((secret) =>
    isSameSecret(signatureOf(purpose, text, secret), signature),
  );
}

const signatureOf = (purpose: string, text: string, secret: string): string =>
  createHmac("sha256", `${purpose}:${secret}`).update(text).digest("base64url");

/** Thrown if a stored value was encrypted with a key that is not configured. The message names the key's version. */
export class UnknownEncryptionKeyError extends Error {
  readonly code = "ENCRYPTION_KEY_UNKNOWN";
  constructor(version: string) {
    super(`encrypted with key ${version}, which is not configured`);
    this.name = "UnknownEncryptionKeyError";
  }
}

/** Prefix of values that were encrypted with the current key. */
export function currentEncryptionKeyPrefix(): string {
  return `v${env().encryptionKeys[0].version}.`;
}

/**
 * Encrypts with AES-256-GCM under the first encryption key, for values that must be read again, such as queued keys and
 * payment payloads.
 */
export function encrypt(plain: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyFrom(env().encryptionKeys[0].secret), nonce);
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return (
    currentEncryptionKeyPrefix() +
    [nonce.toString("base64url"), body.toString("base64url"), cipher.getAuthTag().toString("base64url")].join(
      ".",
    )
  );
}

/** Reverses `encrypt`. Throws if the text was changed, and UnknownEncryptionKeyError if its key is not configured. */
export function decrypt(sealed: string): string {
  const [label = "", nonce, body, tag] = sealed.split(".");
  const [, version] = /^v([1-9][0-9]{0,3})$/.exec(label) ?? [];
  if (!version || !nonce || body === undefined || !tag) throw new Error("not an encrypted value");
  const key = env().encryptionKeys.find((known) => known.version === Number(version));
  if (key === undefined) throw new UnknownEncryptionKeyError(version);
  const decipher = createDecipheriv("aes-256-gcm", keyFrom(key.secret), Buffer.from(nonce, "base64url"), {
    // Without a fixed length Node accepts a tag of four bytes, which can be guessed.
    authTagLength: 16,
  });
  decipher.setAuthTag(Buffer.from(tag, "base64url"));
  return Buffer.concat([decipher.update(Buffer.from(body, "base64url")), decipher.final()]).toString("utf8");
}

/** Whether a configured encryption key decrypts a value. */
export function canDecrypt(sealed: string): boolean {
  try {
    decrypt(sealed);
    return true;
  } catch {
    return false;
  }
}

function keyFrom(secret: string): Buffer {
  return createHash("sha256").update(`encryption:${secret}`).digest();
}
