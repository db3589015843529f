import type { PaymentAdapterName } from "@/lib/vocabulary";

export interface DeliveryMessage {
  id: number;
  platform: PaymentAdapterName;
  body: string;
}

/** The result of the delivery with this id: `code` and `message` of its error, or neither after success. */
export interface AnswerMessage {
  id: number;
  code?: string | undefined;
  message?: string;
}

/** The code of an error of the service, or of the database error that caused it. */
export function errorCodeOf(error: unknown): string | undefined {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return code ?? cause?.code;
}
