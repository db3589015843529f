import { z } from "zod";

/** One deliverable address with a domain: no list, no control characters, no U+FFFD in place of lost characters. */
export const Email = z
  .string()
  .trim()
  .max(254, "must have at most 254 characters")
  .regex(
    /^[^\s@,;:<>()[\]\\"\ufffd\p{Cc}]{1,64}@[^\s@,;:<>()[\]\\"_\ufffd\p{Cc}]+\.[^\s@,;:<>()[\]\\"_.\ufffd\p{Cc}]{2,}$/u,
    "must be one e-mail address",
  )
  // Validators without the u flag refuse \p{...}: the description names the format, requests are judged by the rule above.
  .meta({ wire: { type: "string", format: "email", maxLength: 254 } });

/** The identity of an address: trimmed, NFKC and lower-cased. No folding of dots or plus parts. */
export function normalizeEmail(email: string): string {
  return email.normalize("NFKC").trim().toLowerCase();
}
