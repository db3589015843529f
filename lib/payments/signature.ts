import { createHmac, timingSafeEqual } from "node:crypto";

/** Header in which the payment platform of the interface sends its signature. */
export const SIGNATURE_HEADER = "x-signature";

/** How far the time in a signature may be from ours, as the platforms' own libraries take it. */
const TOLERANCE_MS = 5 * 60_000;

/** Lower-case hexadecimal HMAC-SHA256 of the body's bytes, or of several parts one after another. */
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
 * Whether `received` is the signature of exactly these bytes. Fails closed: without a secret, or with a blank one,
 * nothing is valid. The comparison takes the same time wherever the two differ.
 */
export function isSignatureValid(body: Uint8Array, received: string | null, secret: string | null): boolean {
  if (secret === null || secret.trim() === "") return false;
  return isSameSignature((received ?? "").trim().toLowerCase(), signBody(body, secret));
}

/** Compares two signatures in the same time wherever they differ. */
export function isSameSignature(received: string, expected: string): boolean {
  const given = Buffer.from(received, "utf8");
  const right = Buffer.from(expected, "utf8");
  return given.length === right.length && timingSafeEqual(given, right);
}

/**
 * The parts of a header such as `t=1,v1=ab,v1=cd`, each name with its values. Parts without `=` are left out, and more
 * than 20 are not read.
 */
export function readSignatureParts(header: string | null, separator: "," | ";"): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  for (const part of (header ?? "").split(separator, 20)) {
    const [name = "", ...value] = part.trim().split("=");
    if (value.length > 0) parts.set(name, [...(parts.get(name) ?? []), value.join("=")]);
  }
  return parts;
}

/** Seconds since 1970, as signatures write them. */
export function secondsOf(at: Date): string {
  return String(Math.floor(at.getTime() / 1000));
}

/** Whether seconds since 1970, as written in a signature, are within five minutes of `at`. */
export function isFresh(seconds: string | undefined, at: Date): boolean {
  if (seconds === undefined || !/^[0-9]{1,12}$/.test(seconds)) return false;
  return Math.abs(Number(seconds) * 1000 - at.getTime()) <= TOLERANCE_MS;
}
