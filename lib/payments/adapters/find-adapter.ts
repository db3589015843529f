import { readServiceSecrets } from "@/lib/runtime/service-secrets";
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

/** Finds an adapter by the platform name in a webhook address. Null if there is no such platform. */
export function findAdapter(name: string): PaymentAdapter | null {
  const known = PAYMENT_ADAPTERS.find((each) => each === name);
  return known === undefined ? null : ADAPTERS[known];
}

export function adapterOf(name: PaymentAdapterName): PaymentAdapter {
  return ADAPTERS[name];
}

/** The accepted signing secrets of a platform, the present one first. Empty if the platform is not configured. */
export const secretsOf = (name: PaymentAdapterName): Promise<readonly string[]> =>
  readServiceSecrets(ADAPTERS[name].secret);

/** The secrets of a platform's sandbox. A delivery signed with one of them is a test. */
export async function sandboxSecretsOf(name: PaymentAdapterName): Promise<readonly string[]> {
  const { sandboxSecret } = ADAPTERS[name];
  if (sandboxSecret === undefined) return [];
  const [live, ofSandbox] = await Promise.all([secretsOf(name), readServiceSecrets(sandboxSecret)]);
  // A secret entered in both places counts as live, so that a real payment is never taken for a test.
  return ofSandbox.filter((secret) => secret.trim() !== "" && !live.includes(secret));
}

/** The same adapter, but marking every delivery as a test: for deliveries that the platform's sandbox signed. */
export const sandboxAdapterOf = (adapter: PaymentAdapter): PaymentAdapter => ({
  ...adapter,
  read: (body, receivedAt) => ({ ...adapter.read(body, receivedAt), isTest: true }),
});
