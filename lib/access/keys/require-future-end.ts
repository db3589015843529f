import { invalidField } from "@/lib/wire/errors";

/** Throws validation_failed unless the end of access is in the future; null: no end. */
export function requireFutureEnd(expiresAt: Date | null, now: Date): void {
  if (expiresAt !== null && expiresAt <= now)
    throw invalidField("body", "expires_at", "must be in the future");
}
