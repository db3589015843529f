import type { ErrorCode } from "@/lib/wire/errors";

const CODES: readonly ErrorCode[] = [
  "key_invalid",
  "key_revoked",
  "key_rotated",
  "key_suspended",
  "key_expired",
  "admin_secret_invalid",
  "producer_token_invalid",
  "feed_token_invalid",
  "signature_invalid",
];

/** Number of refused keys, tokens, secrets and signatures among counted errors. */
export const countAuthFailures = (errors: ReadonlyMap<string, number>): number =>
  CODES.reduce((sum, code) => sum + (errors.get(code) ?? 0), 0);
