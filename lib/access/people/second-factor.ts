import { randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { sha256 } from "@/lib/runtime/secrets";

const PERIOD_SECONDS = 30;
/** A clock may be half a minute off. */
const WINDOW = 1;
const N_RECOVERY_CODES = 10;

/** A new secret for an authenticator, in base 32. */
export const newSecret = (): string => new Secret({ size: 20 }).base32;

/** The address that an authenticator reads the secret from. */
export function authenticatorUri(secret: string, { email, host }: { email: string; host: string }): string {
  return totp(secret, { label: email, issuer: host }).toString();
}

/** The number of the 30 seconds that a code is of; null when it is of none near now. */
export function stepOfCode(secret: string, code: string, now: Date): number | null {
  const token = code.replace(/\s/g, "");
  if (!/^[0-9]{6}$/.test(token)) return null;
  const delta = totp(secret).validate({ token, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? null : Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS) + delta;
}

/** Codes for when the authenticator is lost, each good once, and their hashes, which alone are stored. */
export function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: N_RECOVERY_CODES }, () => randomBytes(10).toString("hex"));
  return { codes: codes.map((code) => code.replace(/(.{5})(?=.)/g, "$1-")), hashes: codes.map(sha256) };
}

/** What is stored of a recovery code, however it was typed. */
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
