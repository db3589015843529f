import { env } from "@/lib/runtime/env";
import { log } from "@/lib/runtime/log";
import { SECOND_MS } from "@/lib/time";
import type { PaymentAdapterName } from "@/lib/vocabulary";
import { AppError } from "@/lib/wire/errors";
import { adapterOf, secretsOf } from "./adapters/find-adapter";

const DEADLINE_MS = 10 * SECOND_MS;

/** The HTTP status that answered a test delivery; null: none arrived within ten seconds, or the connection failed. */
export type TestDeliveryAnswer = { status: number } | null;

/** The public address for a platform's deliveries, without the secret that Gumroad's address carries. */
export function platformWebhookUrl(name: PaymentAdapterName): string {
  return `${env().baseUrl}${name === "generic" ? "/webhooks/payment" : `/webhooks/payments/${name}`}`;
}

/**
 * Sends a delivery that changes nothing to the service's public address, signed with the platform's present secret. It
 * passes through every proxy and appears in the inbox. Throws conflict if the platform has no secret.
 */
export async function sendTestDelivery(name: PaymentAdapterName, now: Date): Promise<TestDeliveryAnswer> {
  const [secret] = await secretsOf(name);
  if (secret === undefined)
    throw new AppError("conflict", { detail: "This platform has no secret yet: every delivery is refused." });
  const { body, headers, query } = adapterOf(name).writeTest(secret, now);
  try {
    const response = await fetch(`${platformWebhookUrl(name)}${query === "" ? "" : `?${query}`}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    log("warn", "a test delivery got no answer", {
      kind: name,
      reason: error instanceof Error ? error.name : "",
    });
    return null;
  }
}
