import { env } from "./env";
import { errorFacts, log } from "./log";
import { processWide } from "./process-wide";
import { decrypt } from "./secrets";
import { settingsCache } from "./settings-cache";
import type { ServiceSecret } from "./variables";

/** Secrets of outer services: those of variables, and those that an owner entered, which are stored sealed. */

/** The secret in use; null: none. A variable that is set wins over what is stored. */
export const serviceSecret = (name: ServiceSecret): string | null => serviceSecrets(name)[0] ?? null;

/** The secret in use, then those that are accepted beside it. Stored ones are as of half a second ago at most. */
export function serviceSecrets(name: ServiceSecret): readonly string[] {
  const set = env().serviceSecrets[name];
  if (set.length > 0) return set;
  const stored = settingsCache().now.serviceSecrets.find((secret) => secret.name === name);
  if (stored === undefined) return [];
  const { valueEncrypted, formerEncrypted } = stored;
  return [valueEncrypted, formerEncrypted].flatMap((sealed) => {
    const plain = sealed === null ? null : openStored(name, sealed);
    return plain === null ? [] : [plain];
  });
}

/** The same for a request that may come before stored secrets were read for the first time. */
export async function readServiceSecrets(name: ServiceSecret): Promise<readonly string[]> {
  if (env().serviceSecrets[name].length === 0) await settingsCache().get();
  return serviceSecrets(name);
}

/** A stored secret in clear; null when no configured key opens it, which is logged once. */
export function openStored(name: ServiceSecret, sealed: string): string | null {
  const known = processWide("opened-secrets", () => new Map<string, string | null>());
  const found = known.get(sealed);
  if (found !== undefined) return found;
  // Replaced values leave nothing behind for long.
  if (known.size >= MAX_KNOWN) known.clear();
  const plain = opened(name, sealed);
  known.set(sealed, plain);
  return plain;
}

const MAX_KNOWN = 100;

function opened(name: ServiceSecret, sealed: string): string | null {
  try {
    return decrypt(sealed);
  } catch (error) {
    log("error", "a stored secret cannot be opened with any configured key", {
      kind: name,
      error: errorFacts(error),
    });
    return null;
  }
}
