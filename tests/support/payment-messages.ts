import type { PaymentAdapterName } from "@/lib/vocabulary";

export interface DeliveryMessage {
  id: number;
  platform: PaymentAdapterName;
  body: string;
}

/** `code` and `message` of an error, or neither. */
export interface AnswerMessage {
  id: number;
  code?: string | undefined;
  message?: string;
}

/** The code of an error of the service, or of the database. */
export function errorCodeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return code ?? cause?.code;
}
