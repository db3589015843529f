import { invalidField } from "@/lib/wire/errors";

/** Lets through an end of access that is yet to come; null: it never ends. Throws validation_failed. */
export function requireFutureEnd(expiresAt: Date | null, now: Date): void {
  if (expiresAt !== null && expiresAt <= now)
    throw invalidField("body", "expires_at", "must be in the future");
}
