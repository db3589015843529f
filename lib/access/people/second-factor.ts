import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { sha256 } from "@/lib/runtime/secrets";

const PERIOD_SECONDS = 30;
/**
 * Time steps of 30 seconds before and after the present one whose codes are accepted, in case the authenticator's clock
 * is off.
 */
const WINDOW = 1;
const N_RECOVERY_CODES = 10;

/** A new secret for an authenticator, in base 32. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** The address from which an authenticator reads the secret. */
export function authenticatorUri(secret: string, { email, host }: { email: string; host: string }): string {
  return totp(secret, { label: email, issuer: host }).toString();
}

/** The number of the 30-second time step for which a code is valid, at or next to `now`; null: not valid. */
export function totpStepOf(secret: string, code: string, now: Date): number | null {
  const token = code.replace(/\s/g, "");
  if (!/^[0-9]{6}$/.test(token)) return null;
  const delta = totp(secret).validate({ token, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? null : Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS) + delta;
}

/** Ten single-use codes for a lost authenticator, and their hashes for the table `administrators`. */
export function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: N_RECOVERY_CODES }, () => randomBytes(10).toString("hex"));
  return { codes: codes.map((code) => code.replace(/(.{5})(?=.)/g, "$1-")), hashes: codes.map(sha256) };
}

/** The stored hash of a recovery code, independent of spaces, hyphens and case. */
export const recoveryHash = (code: string): string => sha256(code.toLowerCase().replace(/[\s-]/g, ""));

function totp(secret: string, names: { label?: string; issuer?: string } = {}): TOTP {
  return new TOTP({
    ...names,
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD_SECONDS,
  });
}
