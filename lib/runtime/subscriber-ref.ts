import { createHmac } from "node:crypto";
import { env } from "./env";
import { isSameSecret } from "./secrets";

const REF = /^([1-9][0-9]{0,9})-([0-9a-f]{32})$/;

/**
 * A signed reference to a subscriber for links to a shop, so that the reference of another subscriber cannot be forged.
 * It has only digits, lower-case letters and a hyphen: Stripe accepts letters, digits, hyphens and underscores.
 */
export function signSubscriberRef(subscriptionId: number): string {
  return `${subscriptionId}-${signatureOf(subscriptionId, env().encryptionKeys[0].secret)}`;
}

/** The subscription id in a reference; null: it is missing, malformed, or not signed with a configured key. */
export function verifySubscriberRef(ref: string | null): number | null {
  const [, id, signature] = REF.exec(ref ?? "") ?? [];
  if (id === undefined || signature === undefined) return null;
  const isOurs = env().encryptionKeys.some(({ secret }) =>
    isSameSecret(signature, signatureOf(Number(id), secret)),
  );
  return isOurs ? Number(id) : null;
}

const signatureOf = (subscriptionId: number, secret: string) =>
  createHmac("sha256", `subscriber-ref:${secret}`).update(String(subscriptionId)).digest("hex").slice(0, 32);
