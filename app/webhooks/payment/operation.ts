import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { PaymentAnswer, PaymentEvent } from "@/lib/wire/contracts/payments";

export const POST: OperationDeclaration = {
  id: "receivePayment",
  tag: "Payments",
  summary: "An event of the payment platform about an invoice",
  description:
    "`x-signature` is the lowercase hexadecimal HMAC-SHA256 of the raw body under the shared secret. The body is parsed only if the signature is valid.",
  access: "signature",
  body: {
    schema: PaymentEvent,
    example: {
      event: "payment.invoice_paid",
      data: {
        id: "inv_1001",
        status: "paid",
        items: [{ productId: "3031367", name: "Pro monthly", quantity: 1, amount: 49.9 }],
        buyer: { name: "Ada", email: "ada@example.com" },
        paid_at: "2026-11-20T10:00:00Z",
      },
    },
  },
  ok: { status: 200, schema: PaymentAnswer, description: "The effect of the delivery" },
  errors: ["invalid_payload"],
};
