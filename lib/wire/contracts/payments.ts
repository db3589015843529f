import { z } from "zod";
import { PlanName, Timestamp } from "./shared";

export const KeyProvisioned = z.strictObject({
  ok: z.literal(true),
  action: z.literal("api_key_created"),
  plan: PlanName,
  key_id: z.int(),
  expires: Timestamp,
  email_sent: z.boolean(),
});

export const KeyAlreadyProvisioned = z.strictObject({
  ok: z.literal(true),
  action: z.literal("already_provisioned"),
  plan: PlanName,
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
  /** Name of the delivered event; null: the delivery has none. */
  event: z.string().nullable(),
  reason: z.enum(IGNORE_REASONS),
});

/** The body of every answer with status 200 to a payment delivery. */
export const PaymentAnswer = z
  .discriminatedUnion("action", [KeyProvisioned, KeyAlreadyProvisioned, AccessRevoked, DeliveryIgnored])
  .meta({ id: "PaymentAnswer" });

/**
 * A delivery in the generic format, as the OpenAPI document describes it. The parser of deliveries accepts far more.
 */
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

/** A delivery of another payment platform, in the platform's own format. */
export const PlatformEvent = z.looseObject({}).meta({ id: "PlatformEvent" });
