import type { PaymentDelivery } from "@/lib/payments/delivery";
import type { PlatformSecret, SandboxSecret } from "@/lib/runtime/variables";
import type { PaymentAdapterName } from "@/lib/vocabulary";

/** A delivery before its signature is checked. */
export interface SignedRequest {
  body: Uint8Array;
  headers: Headers;
  url: URL;
  /** Time of receipt. */
  at: Date;
}

/** How one payment platform signs, and what its events mean. */
export interface PaymentAdapter {
  name: PaymentAdapterName;
  /** The platform's name for people. */
  title: string;
  /** What to select at the platform, apart from the address. */
  choose: string;
  secret: PlatformSecret;
  /** For a sandbox that does not mark its events as tests. */
  sandboxSecret?: SandboxSecret;
  /** Whether the request was signed with this secret. Never throws. */
  isSigned(request: SignedRequest, secret: string): boolean;
  /**
   * A delivery that changes nothing, signed like the platform's: it tests whether the address reaches this
   * service.
   */
  writeTest(secret: string, at: Date): TestDelivery;
  /** Reads a body whose signature is valid. Throws 400 `invalid_payload` if it cannot be read. */
  read(body: Uint8Array, receivedAt: Date): PaymentDelivery;
}

export interface TestDelivery {
  body: string;
  headers: Record<string, string>;
  /** The address's query, after `?`; empty: none. */
  query: string;
}

/** The event name of test deliveries. No platform uses it. */
export const TEST_DELIVERY_EVENT = "operator.test";
