import type { PaymentDelivery } from "@/lib/payments/delivery";
import type { PlatformSecret, SandboxSecret } from "@/lib/runtime/variables";
import type { PaymentAdapterName } from "@/lib/vocabulary";

/** A delivery before anything of it is believed. */
export interface SignedRequest {
  body: Uint8Array;
  headers: Headers;
  url: URL;
  /** When it was received. */
  at: Date;
}

/** How one payment platform signs, and what its events mean here. */
export interface PaymentAdapter {
  name: PaymentAdapterName;
  /** The platform's own name. */
  title: string;
  /** What to choose at the platform, beside the address. */
  choose: string;
  secret: PlatformSecret;
  /** Of a sandbox that does not mark its events as tests. */
  sandboxSecret?: SandboxSecret;
  /** Whether the request was signed with this secret; never throws. */
  isSigned(request: SignedRequest, secret: string): boolean;
  /** A delivery that changes nothing, signed as the platform signs: it shows that the address leads here. */
  writeTest(secret: string, at: Date): TestDelivery;
  /** Reads a body whose signature held. Throws 400 `invalid_payload` when it cannot be read at all. */
  read(body: Uint8Array, receivedAt: Date): PaymentDelivery;
}

export interface TestDelivery {
  body: string;
  headers: Record<string, string>;
  /** What stands in the address after `?`; empty: nothing. */
  query: string;
}

/** The event of a test, which no platform sends. */
export const TEST_DELIVERY_EVENT = "operator.test";
