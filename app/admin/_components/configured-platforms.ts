import { secretsOf } from "@/lib/payments/adapters/find-adapter";
import { PAYMENT_ADAPTERS, type PaymentAdapterName } from "@/lib/vocabulary";

/** The payment platforms with a secret. */
export const configuredPlatforms = (): PaymentAdapterName[] =>
  PAYMENT_ADAPTERS.filter((name) => secretsOf(name).length > 0);
