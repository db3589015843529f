import { parseGenericDelivery } from "@/lib/payments/delivery";
import { isSignatureValid, SIGNATURE_HEADER, signBody } from "@/lib/payments/signature";
import { type PaymentAdapter, TEST_DELIVERY_EVENT } from "./adapter";

/**
 * The webhook format that this service's API specification defines: `x-signature` is the hexadecimal HMAC-SHA256 of the
 * body.
 */
export const generic: PaymentAdapter = {
  name: "generic",
  title: "Generic",
  choose: "Any platform that signs with x-signature, an HMAC-SHA256 of the body.",
  secret: "PAYMENT_WEBHOOK_SECRET",
  isSigned: ({ body, headers }, secret) => isSignatureValid(body, headers.get(SIGNATURE_HEADER), secret),
  writeTest: (secret, at) => {
    const body = JSON.stringify({ event: TEST_DELIVERY_EVENT, data: { id: `test-${at.getTime()}` } });
    return { body, headers: { [SIGNATURE_HEADER]: signBody(body, secret) }, query: "" };
  },
  read: parseGenericDelivery,
};
