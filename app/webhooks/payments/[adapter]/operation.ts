import type { Declaration } from "@/lib/api/openapi/operation";
import { PaymentAnswer, PlatformEvent } from "@/lib/wire/contracts/payments";

export const POST: Declaration = {
  id: "receivePlatformPayment",
  tag: "Payments",
  summary: "Another payment platform tells what became of a payment",
  description:
    "`stripe`, `paddle`, `lemonsqueezy` and `whop` sign as their own documentation says, with a time that must be near where they have one. `gumroad` signs nothing: the address that is pasted there carries `?secret=`, and its body is a form. `generic` is the same as /webhooks/payment. A platform without a configured secret gets 403. 409 asks for the same delivery again, after the one that tells who the customer is.",
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
  ok: { status: 200, schema: PaymentAnswer, description: "What the delivery led to" },
  errors: ["invalid_payload", "not_found", "conflict"],
};
