import { env } from "./env";
import { errorFacts, log } from "./log";
import { processWide } from "./process-wide";
import { decrypt } from "./secrets";
import { settingsCache } from "./settings-cache";
import type { ServiceSecretName } from "./variables";

/** Secrets of external services: from variables, or entered by an owner and stored encrypted. */

/**
 * The secret of an external service: the first of `serviceSecrets`; null: none is set, or no stored one can be
 * decrypted. A variable takes precedence over the stored value.
 */
export const serviceSecret = (name: ServiceSecretName): string | null => serviceSecrets(name)[0] ?? null;

/**
 * The current secret, then the others that are accepted as well. Stored ones come from the settings cache; those that
 * cannot be decrypted are missing.
 */
export function serviceSecrets(name: ServiceSecretName): readonly string[] {
  const set = env().serviceSecrets[name];
  if (set.length > 0) return set;
  const stored = settingsCache().now.serviceSecrets.find((secret) => secret.name === name);
  if (stored === undefined) return [];
  const { valueEncrypted, formerEncrypted } = stored;
  return [valueEncrypted, formerEncrypted].flatMap((sealed) => {
    const plain = sealed === null ? null : decryptStoredSecret(name, sealed);
    return plain === null ? [] : [plain];
  });
}

/** Like `serviceSecrets`, for a request that may come before the first read of the stored secrets. */
export async function readServiceSecrets(name: ServiceSecretName): Promise<readonly string[]> {
  if (env().serviceSecrets[name].length === 0) await settingsCache().get();
  return serviceSecrets(name);
}

/** A stored secret, decrypted and cached; null: no configured key decrypts it, which is logged. */
export function decryptStoredSecret(name: ServiceSecretName, sealed: string): string | null {
  const known = processWide("opened-secrets", () => new Map<string, string | null>());
  const found = known.get(sealed);
  if (found !== undefined) return found;
  // Bounds the number of decrypted secrets in memory, which include replaced ones.
  if (known.size >= MAX_KNOWN) known.clear();
  const plain = opened(name, sealed);
  known.set(sealed, plain);
  return plain;
}

const MAX_KNOWN = 100;

function opened(name: ServiceSecretName, sealed: string): string | null {
  try {
    return decrypt(sealed);
  } catch (error) {
    log("error", "no configured key decrypts a stored secret", {
      kind: name,
      error: errorFacts(error),
    });
    return null;
  }
}
