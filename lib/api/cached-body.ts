import type { z } from "zod";
import { errorFacts, log } from "@/lib/runtime/log";
import { type ExpiringValue, windowCache } from "@/lib/runtime/window-cache";
import { signingKey, signReceipt } from "@/lib/signals/ledger/signing";
import { type BodyWithEtag, serialiseWithEtag } from "./conditional";

/**
 * How long, in ms, a body is cached that could not be signed because of an error. The time is short, so that the body
 * is soon signed.
 */
const UNSIGNED_MS = 1_000;

/** Cache key of a body. Callers with the same name, key and version share one body. */
export interface BodyCacheKey {
  /** Name of the cache: one per endpoint. */
  name: string;
  /** Everything on which the answer depends besides the stored state: the scope and the parameters. */
  key: string;
  /** Version of the stored state, from the look-up of the caller's API key. */
  version: number;
  now: Date;
  /**
   * If set, the body is signed with the ledger's key, as the answer of this path with all signals up to the number
   * `seq`.
   */
  signed?: { path: string; seq: number };
}

/**
 * Serialises an answer, signs it if requested, and caches it until the version changes or until `validUntil` of the
 * computed value, when its oldest item leaves the window. Callers with the same cache key share one body.
 */
export function cachedBody<S extends z.ZodType>(
  schema: S,
  { name, key, version, now, signed }: BodyCacheKey,
  compute: () => Promise<ExpiringValue<z.output<S>>>,
): Promise<BodyWithEtag> {
  return windowCache<BodyWithEtag>(name).get(key, version, now, async () => {
    const { value, validUntil } = await compute();
    const content = serialiseWithEtag(schema, value);
    if (signed === undefined) return { value: content, validUntil };
    const ledgerKey = await signingKey().catch((error: unknown) => {
      log("warn", "an answer is sent unsigned: the ledger's key was not read", { error: errorFacts(error) });
      return undefined;
    });
    if (ledgerKey === undefined) return { value: content, validUntil: new Date(now.getTime() + UNSIGNED_MS) };
    // The installation has no signing key for the ledger: the body is sent unsigned.
    if (ledgerKey === null) return { value: content, validUntil };
    const receipt = signReceipt({ ...signed, at: now }, content.body, ledgerKey);
    return { value: { ...content, headers: { "Signal-Receipt": receipt } }, validUntil };
  });
}
