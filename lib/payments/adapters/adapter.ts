import type { PaymentDelivery } from "@/lib/payments/delivery";
import type { PlatformSecretName, SandboxSecretName } from "@/lib/runtime/variables";
import type { PaymentAdapterName } from "@/lib/vocabulary";

/** A received webhook request, before its signature is checked. */
export interface PaymentWebhookRequest {
  body: Uint8Array;
  headers: Headers;
  url: URL;
  /** Time of receipt. */
  at: Date;
}

/** How one payment platform signs its deliveries, and what its events mean. */
export interface PaymentAdapter {
  name: PaymentAdapterName;
  /** The platform's name as shown on pages. */
  title: string;
  /** Shown to the administrator: what to select at the platform when entering the webhook address there. */
  choose: string;
  secret: PlatformSecretName;
  /** Variable with the sandbox's signing secret, for a platform that does not mark the events of its sandbox as tests. */
  sandboxSecret?: SandboxSecretName;
  /** Whether the request was signed with this secret. Never throws. */
  isSigned(request: PaymentWebhookRequest, secret: string): boolean;
  /** Writes a signed delivery that changes nothing, to test whether the webhook address reaches this service. */
  writeTest(secret: string, at: Date): TestDelivery;
  /** Reads a body whose signature is valid. Throws 400 `invalid_payload` if it cannot be read. */
  read(body: Uint8Array, receivedAt: Date): PaymentDelivery;
}

export interface TestDelivery {
  body: string;
  headers: Record<string, string>;
  /** Query string of the webhook address, without `?`; empty if there is none. */
  query: string;
}

/** The event name of test deliveries. No platform uses it. */
export const TEST_DELIVERY_EVENT = "operator.test";
