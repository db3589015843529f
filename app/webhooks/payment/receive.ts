import { db } from "@/db/client";
import { type Answer, respond } from "@/lib/api/answer";
import { readBytesAsSent, requireNoEncoding } from "@/lib/api/request-body";
import { requestFactsOf, timeLeftMs } from "@/lib/api/request-facts";
import type { PaymentAdapter } from "@/lib/payments/adapters/adapter";
import { sandboxAdapterOf, sandboxSecretsOf, secretsOf } from "@/lib/payments/adapters/find-adapter";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { recordSignatureFailure, resetSignatureFailures } from "@/lib/payments/signature-failures";
import { log } from "@/lib/runtime/log";
import { PaymentAnswer } from "@/lib/wire/contracts/payments";
import { AppError } from "@/lib/wire/errors";

/** Receives a webhook delivery of a payment platform: checks its signature, applies it and returns the response. */
export async function receivePaymentWebhook(adapter: PaymentAdapter, request: Request): Promise<Answer> {
  const { body, signedBy } = await readSignedBody(adapter, request);
  const actor = { kind: "webhook", requestId: requestFactsOf(request).requestId } as const;
  try {
    return respond(PaymentAnswer, await receiveDelivery(db(), signedBy, body, actor, timeLeftMs(request)));
  } finally {
    // Only after the delivery was handled, so that a purchase does not wait for it.
    resetSignatureFailures();
  }
}

/**
 * Reads the raw body and checks its signature, before anything is parsed. Returns the body with the platform's adapter, or
 * with its sandbox adapter if the sandbox's secret signed it. Throws 413 or 408 while reading, and the same 403 for a
 * missing, malformed, old or wrong signature and for a platform without a configured secret.
 */
async function readSignedBody(adapter: PaymentAdapter, request: Request) {
  const [secrets, ofSandbox] = [await secretsOf(adapter.name), await sandboxSecretsOf(adapter.name)];
  if (secrets.length + ofSandbox.length === 0) {
    log("warn", "a payment delivery was refused", { reason: "no_webhook_secret_configured" });
    throw new AppError("signature_invalid");
  }
  const body = await readBytesAsSent(request);
  const signed = { body, headers: request.headers, url: new URL(request.url), at: new Date() };
  // Several secrets: after a change of the secret the platform may still sign with the former one.
  const isSignedBy = (some: readonly string[]) => some.some((secret) => adapter.isSigned(signed, secret));
  const isLive = isSignedBy(secrets);
  if (!isLive && !isSignedBy(ofSandbox)) {
    recordSignatureFailure();
    throw new AppError("signature_invalid");
  }
  requireNoEncoding(request);
  return { body, signedBy: isLive ? adapter : sandboxAdapterOf(adapter) };
}
