import type { z } from "zod";
import { type ValueUntil, windowCache } from "@/lib/runtime/window-cache";
import { signingKey, signReceipt } from "@/lib/signals/ledger/signing";
import { type Tagged, tagged } from "./conditional";

/** Under what an answer is kept. Callers that ask for the same at the same version share one body. */
export interface BodyCacheKey {
  /** Names the cache: one for each endpoint. */
  name: string;
  /** All that the answer depends on besides the stored state: scope and parameters. */
  key: string;
  /** Version of the stored state that came with the caller's key. */
  version: number;
  now: Date;
  /** The body is signed with the ledger's key, as the answer of this path up to this signal. */
  signed?: { path: string; seq: number };
}

/**
 * The body of an answer in the shape of `schema`, written, and signed where that is wanted, once and kept while it is exactly right: until the version
 * moves, or until `validUntil`, when the oldest thing in its window leaves it.
 */
export function cachedBody<S extends z.ZodType>(
  schema: S,
  { name, key, version, now, signed }: BodyCacheKey,
  compute: () => Promise<ValueUntil<z.output<S>>>,
): Promise<Tagged> {
  return windowCache<Tagged>(name).get(key, version, now, async () => {
    const { value, validUntil } = await compute();
    const content = tagged(schema, value);
    if (signed === undefined) return { value: content, validUntil };
    const ledgerKey = await signingKey().catch(() => null);
    // An answer is not held back for want of its signature.
    if (ledgerKey === null) return { value: content, validUntil };
    const receipt = signReceipt({ ...signed, at: now }, content.body, ledgerKey);
    return { value: { ...content, headers: { "Signal-Receipt": receipt } }, validUntil };
  });
}
