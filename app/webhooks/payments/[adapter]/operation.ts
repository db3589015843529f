import type { OperationDeclaration } from "@/lib/api/openapi/operation";
import { PaymentAnswer, PlatformEvent } from "@/lib/wire/contracts/payments";

export const POST: OperationDeclaration = {
  id: "receivePlatformPayment",
  tag: "Payments",
  summary: "An event of another payment platform",
  description:
    "`stripe`, `paddle`, `lemonsqueezy` and `whop` sign as their documentation says; if the signature has a time, it must be recent. `gumroad` does not sign: its webhook address contains `?secret=`, and its body is a form. `generic` is the same as /webhooks/payment. A platform without a configured secret gets 403. 409 asks the platform to repeat the delivery after the one that identifies the customer.",
  access: "signature",
  params: { adapter: { description: "Name of the platform", example: "generic" } },
  body: {
    schema: PlatformEvent,
    example: {
      id: "evt_1001",
      type: "invoice.paid",
      data: { object: { id: "in_1001", customer_email: "ada@example.com" } },
    },
  },
  ok: { status: 200, schema: PaymentAnswer, description: "The effect of the delivery" },
  errors: ["invalid_payload", "not_found", "conflict"],
};
