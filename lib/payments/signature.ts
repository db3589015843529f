import { createHmac, timingSafeEqual } from "node:crypto";

/** Signature header of the generic format. */
export const SIGNATURE_HEADER = "x-signature";

/** Largest difference between a signature's time and this machine's, as in Standard Webhooks and Stripe's libraries. */
const TOLERANCE_MS = 5 * 60_000;

/** Lower-case hexadecimal HMAC-SHA256 of the body's bytes, or of several parts in sequence. */
export function signBody(
  body: Uint8Array | string,
  secret: string,
  ...more: (Uint8Array | string)[]
): string {
  const hmac = createHmac("sha256", secret).update(body);
  for (const part of more) hmac.update(part);
  return hmac.digest("hex");
}

/**
 * Whether `received` is the signature of exactly these bytes. False for an empty or blank secret. Compares in
 * constant time.
 */
export function isSignatureValid(body: Uint8Array, received: string | null, secret: string | null): boolean {
  if (secret === null || secret.trim() === "") return false;
  return isSameSignature((received ?? "").trim().toLowerCase(), signBody(body, secret));
}

/** Compares two signatures in constant time. */
export function isSameSignature(received: string, expected: string): boolean {
  const given = Buffer.from(received, "utf8");
  const right = Buffer.from(expected, "utf8");
  return given.length === right.length && timingSafeEqual(given, right);
}

/**
 * Parses a header such as `t=1,v1=ab,v1=cd` to names with their values. Ignores parts without `=`, and all after
 * the first 20.
 */
export function readSignatureParts(header: string | null, separator: "," | ";"): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  for (const part of (header ?? "").split(separator, 20)) {
    const [name = "", ...value] = part.trim().split("=");
    if (value.length > 0) parts.set(name, [...(parts.get(name) ?? []), value.join("=")]);
  }
  return parts;
}

/** Seconds since 1970, as in signatures. */
export function unixSecondsOf(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}

/** Whether seconds since 1970, as written in a signature, are within five minutes of `at`. */
export function isTimestampFresh(seconds: string | undefined, at: Date): boolean {
  if (seconds === undefined || !/^[0-9]{1,12}$/.test(seconds)) return false;
  return Math.abs(Number(seconds) * 1000 - at.getTime()) <= TOLERANCE_MS;
}
