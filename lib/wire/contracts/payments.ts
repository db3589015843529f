import { z } from "zod";
import { Plan, Timestamp } from "./shared";

export const KeyProvisioned = z.strictObject({
  ok: z.literal(true),
  action: z.literal("api_key_created"),
  plan: Plan,
  key_id: z.int(),
  expires: Timestamp,
  email_sent: z.boolean(),
});

export const AlreadyProvisioned = z.strictObject({
  ok: z.literal(true),
  action: z.literal("already_provisioned"),
  plan: Plan,
  key_id: z.int(),
});

export const AccessRevoked = z.strictObject({
  ok: z.literal(true),
  action: z.literal("access_revoked"),
  event: z.string(),
  keys_revoked: z.int(),
});

export const IGNORE_REASONS = [
  "unknown_event",
  "status_not_paid",
  "missing_buyer_email",
  "invoice_ended",
  "invoice_already_applied",
] as const;

export const DeliveryIgnored = z.strictObject({
  ok: z.literal(true),
  action: z.literal("ignored"),
  /** The delivery's event name; null: none. */
  event: z.string().nullable(),
  reason: z.enum(IGNORE_REASONS),
});

/** Every 200 of the payment webhook. */
export const PaymentAnswer = z
  .discriminatedUnion("action", [KeyProvisioned, AlreadyProvisioned, AccessRevoked, DeliveryIgnored])
  .meta({ id: "PaymentAnswer" });

/** A delivery of the generic payment platform. The parser accepts far more than this schema. */
export const PaymentEvent = z
  .object({
    event: z.string().meta({ example: "payment.invoice_paid" }),
    data: z.object({
      id: z.string(),
      status: z.string().meta({ example: "paid" }),
      items: z.array(
        z.object({ productId: z.string(), name: z.string(), quantity: z.int(), amount: z.number() }),
      ),
      buyer: z.object({ name: z.string(), email: z.string() }),
      paid_at: z.string(),
    }),
  })
  .meta({ id: "PaymentEvent" });

/** A delivery of another payment platform, each in its own format. */
export const PlatformEvent = z.looseObject({}).meta({ id: "PlatformEvent" });
