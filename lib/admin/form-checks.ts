import type { DatabaseHandle } from "@/db/client";
import { findNewestSubscription } from "@/db/queries/subscriptions";
import { knownSymbols } from "@/lib/signals/known-symbols";
import { normalizeEmail } from "@/lib/wire/email";
import { validationFailedError } from "@/lib/wire/errors";

/**
 * Questions that the administrator's forms ask before a valid but unusual action. The API does not ask them. A form that is
 * sent again with the answer proceeds.
 */

const MAX_NAMED = 12;

/**
 * Throws validation_failed if a symbol is unknown, unless the administrator has confirmed that it is to come
 * (`areToCome`).
 */
export async function requireKnownSymbols(
  symbols: readonly string[] | null,
  areToCome: boolean,
): Promise<void> {
  if (symbols === null || areToCome) return;
  const known = await knownSymbols();
  const unknown = symbols.filter((symbol) => !known.has(symbol));
  if (unknown.length === 0) return;
  const named = [...known].sort().slice(0, MAX_NAMED);
  throw validationFailedError([
    {
      loc: ["body", "symbols_allowed"],
      msg: `${unknown.join(", ")} ${unknown.length === 1 ? "is" : "are"} not known here. Known: ${named.join(", ")}${known.size > named.length ? ` and ${known.size - named.length} more` : ""}.`,
      type: "unknown_symbol",
    },
  ]);
}

/**
 * Throws validation_failed if a subscriber with this address exists, unless the administrator has confirmed a second
 * one (`isMeant`).
 */
export async function requireUnusedAddress(
  handle: DatabaseHandle,
  email: string | null,
  isMeant: boolean,
): Promise<void> {
  if (email === null || isMeant || !(await findSubscriberByAddress(handle, email))) return;
  throw validationFailedError([
    { loc: ["body", "email"], msg: "belongs to a subscriber already, see above", type: "known_address" },
  ]);
}

/** The newest subscriber with this address, or null. */
export async function findSubscriberByAddress(handle: DatabaseHandle, email: string) {
  return findNewestSubscription(handle, normalizeEmail(email));
}
