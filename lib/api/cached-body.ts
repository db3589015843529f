import type { z } from "zod";
import { errorFacts, log } from "@/lib/runtime/log";
import { type ValueUntil, windowCache } from "@/lib/runtime/window-cache";
import { signingKey, signReceipt } from "@/lib/signals/ledger/signing";
import { type Tagged, tagged } from "./conditional";

/** How long a body is cached that is unsigned because of an error: the next one should have its receipt. */
const UNSIGNED_MS = 1_000;

/** Cache key of a body. Callers with the same key and version share one body. */
export interface BodyCacheKey {
  /** Name of the cache: one per endpoint. */
  name: string;
  /** Everything that the answer depends on besides the stored state: scope and parameters. */
  key: string;
  /** Version of the stored state from the look-up of the caller's key. */
  version: number;
  now: Date;
  /** If set, the body is signed with the ledger's key, as the answer of this path up to this signal number. */
  signed?: { path: string; seq: number };
}

/**
 * Serialises (and signs, if requested) an answer once and caches it while it is valid: until the version changes, or
 * until `validUntil`, when the oldest item leaves its window.
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
    const ledgerKey = await signingKey().catch((error: unknown) => {
      log("warn", "an answer is sent unsigned: the ledger's key was not read", { error: errorFacts(error) });
      return undefined;
    });
    if (ledgerKey === undefined) return { value: content, validUntil: new Date(now.getTime() + UNSIGNED_MS) };
    // Without a key the body is sent unsigned.
    if (ledgerKey === null) return { value: content, validUntil };
    const receipt = signReceipt({ ...signed, at: now }, content.body, ledgerKey);
    return { value: { ...content, headers: { "Signal-Receipt": receipt } }, validUntil };
  });
}
