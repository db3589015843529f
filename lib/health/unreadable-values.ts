import type { DatabaseHandle } from "@/db/client";
import { type EncryptedColumn, listNewestEncryptedValues } from "@/db/queries/encrypted-values";
import { canDecrypt } from "@/lib/runtime/secrets";

/** What an operator loses if the values of a column cannot be decrypted. Values that live for an hour are left out. */
const NAMES = {
  ledgerKey: "the ledger's signing key",
  secondFactors: "administrators' second factors",
  serviceSecrets: "secrets of mail, payment platforms and Telegram",
  deliveries: "payment deliveries",
  webhookSecrets: "subscribers' webhook secrets",
  channelAddresses: "addresses of channels",
  alertSecrets: "the alert webhook's secret",
} as const satisfies Partial<Record<EncryptedColumn, string>>;
export type LastingValue = keyof typeof NAMES;

/**
 * The kinds of stored values whose newest one no configured encryption key decrypts, as after a restore without the keys of
 * the former installation.
 */
export async function findUnreadableValues(handle: DatabaseHandle): Promise<LastingValue[]> {
  // Object.keys of a constant returns exactly its names.
  const places = Object.keys(NAMES) as LastingValue[];
  const sealed = new Map(
    (await listNewestEncryptedValues(handle, places)).map((row) => [row.place, row.sealed]),
  );
  return places.filter((place) => {
    const value = sealed.get(place);
    return value !== undefined && !canDecrypt(value);
  });
}

/** Kinds of values as text: `the ledger's signing key, payment deliveries`. */
export const namesOfValues = (values: readonly LastingValue[]): string =>
  values.map((value) => NAMES[value]).join(", ");
