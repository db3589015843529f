import { env } from "@/lib/runtime/env";
import { PAYMENT_ADAPTERS, type PaymentAdapterName } from "@/lib/vocabulary";
import type { PaymentAdapter } from "./adapter";
import { generic } from "./generic";
import { gumroad } from "./gumroad";
import { lemonsqueezy } from "./lemonsqueezy";
import { paddle } from "./paddle";
import { stripe } from "./stripe";
import { whop } from "./whop";

const ADAPTERS: Readonly<Record<PaymentAdapterName, PaymentAdapter>> = {
  generic,
  stripe,
  paddle,
  lemonsqueezy,
  whop,
  gumroad,
};

/** The adapter of this name, as in an address; null when there is none. */
export function findAdapter(name: string): PaymentAdapter | null {
  const known = PAYMENT_ADAPTERS.find((each) => each === name);
  return known === undefined ? null : ADAPTERS[known];
}

/** The adapter of a delivery. */
export function adapterOf(name: PaymentAdapterName): PaymentAdapter {
  return ADAPTERS[name];
}

/** The secrets that a platform may sign with, the present one first. None: it is not configured. */
export function secretsOf(name: PaymentAdapterName): readonly string[] {
  const { paymentWebhookSecret, paymentWebhookSecretPrevious, platformSecrets } = env();
  if (name !== "generic") return platformSecrets[name].filter((secret) => secret.trim() !== "");
  if (paymentWebhookSecret === null) return [];
  return [
    paymentWebhookSecret,
    ...(paymentWebhookSecretPrevious === null ? [] : [paymentWebhookSecretPrevious]),
  ];
}
