import { readReceivedBytes, requireNoEncoding } from "@/lib/api/body";
import { isSignatureValid, SIGNATURE_HEADER } from "@/lib/payments/signature";
import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { AppError } from "@/lib/wire/errors";

/**
 * The bytes of a delivery whose signature is right; nothing is parsed before that. Throws 413 and 408 while reading,
 * and the same 403 for a missing, malformed or wrong signature and when no secret is configured (decisions 62 and 63).
 */
export async function readSignedBody(request: Request): Promise<Uint8Array> {
  const { paymentWebhookSecret, paymentWebhookSecretPrevious } = env();
  if (paymentWebhookSecret === null) {
    log("warn", "a payment delivery was refused", { reason: "no_webhook_secret_configured" });
    throw new AppError("signature_invalid");
  }
  const body = await readReceivedBytes(request);
  const signature = request.headers.get(SIGNATURE_HEADER);
  // The platform may still sign with the secret before, also what it repeats.
  const isSigned = [paymentWebhookSecret, paymentWebhookSecretPrevious].some((secret) =>
    isSignatureValid(body, signature, secret),
  );
  if (!isSigned) throw new AppError("signature_invalid");
  requireNoEncoding(request);
  return body;
}
