import { secretsOf } from "@/lib/payments/adapters/find-adapter";
import { PAYMENT_ADAPTERS, type PaymentAdapterName } from "@/lib/vocabulary";

/** The payment platforms with a secret. */
export async function configuredPlatforms(): Promise<PaymentAdapterName[]> {
  const secrets = await Promise.all(PAYMENT_ADAPTERS.map((name) => secretsOf(name)));
  return PAYMENT_ADAPTERS.filter((_, index) => (secrets[index]?.length ?? 0) > 0);
}
