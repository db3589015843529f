import { randomBytes } from "node:crypto";

const SANE = /^[A-Za-z0-9._-]{8,64}$/;

/**
 * The client's X-Request-Id if it is safe to log (8 to 64 letters, digits, dots, hyphens and underscores), else a new
 * id.
 */
export function requestIdOf(headers: Headers): string {
  const sent = headers.get("x-request-id");
  return sent && SANE.test(sent) ? sent : newRequestId();
}

let pool = Buffer.alloc(0);
let used = 0;

/** A new request id of 96 random bits. Random bytes are drawn in blocks, because every request needs an id. */
export function newRequestId(): string {
  if (used + 12 > pool.length) {
    pool = randomBytes(12 * 256);
    used = 0;
  }
  used += 12;
  return pool.toString("base64url", used - 12, used);
}
