import { secretsOf } from "@/lib/payments/adapters/find-adapter";
import { PAYMENT_ADAPTERS, type PaymentAdapterName } from "@/lib/vocabulary";

/** The payment platforms with a secret, stored or set by an environment variable. */
export async function configuredPaymentPlatforms(): Promise<PaymentAdapterName[]> {
  const secrets = await Promise.all(PAYMENT_ADAPTERS.map(secretsOf));
  return PAYMENT_ADAPTERS.filter((_, at) => (secrets[at]?.length ?? 0) > 0);
}
