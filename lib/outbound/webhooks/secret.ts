import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A new secret in the format of Standard Webhooks: `whsec_` and 32 random bytes in Base64. */
export function newSigningSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/**
 * The headers of a delivery by Standard Webhooks. `id` is the same for each attempt, the timestamp is the attempt's;
 * there is one signature for each valid secret, separated by blanks.
 */
export function signedHeaders(
  message: { id: string; body: string },
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000);
  const signed = `${message.id}.${seconds}.${message.body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}
