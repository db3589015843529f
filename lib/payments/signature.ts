import { createHmac, timingSafeEqual } from "node:crypto";

/** Header in which the payment platform sends its signature. */
export const SIGNATURE_HEADER = "x-signature";

/** Lower-case hexadecimal HMAC-SHA256 of the body's bytes. */
export function signBody(body: Uint8Array, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/**
 * Whether `received` is the signature of exactly these bytes. Fails closed: without a secret, or with a blank one,
 * nothing is valid. The comparison takes the same time wherever the two differ.
 */
export function isSignatureValid(body: Uint8Array, received: string | null, secret: string | null): boolean {
  if (secret === null || secret.trim() === "") return false;
  const expected = Buffer.from(signBody(body, secret), "ascii");
  const given = Buffer.from((received ?? "").trim().toLowerCase(), "utf8");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
