import type { z } from "zod";
import type { Actor } from "@/lib/runtime/audit";
import type { PaymentAnswer } from "@/lib/wire/contracts/payments";
import type { DeliveryFlag, PaymentDelivery } from "./delivery";

export type Answer = z.output<typeof PaymentAnswer>;

/** What a delivery did: the body of the 200, and what the administrator should look at. */
export interface Outcome {
  answer: Answer;
  flags: DeliveryFlag[];
}

/** What the inbox says that a delivery did; `rejected` could not be read and got a 400. */
export type InboxAction = Answer["action"] | "rejected";

/** Flags in the inbox; `unreadable` belongs to `rejected`. */
export type InboxFlag = DeliveryFlag | "unreadable";

/** Why a delivery did nothing. */
export type InboxReason = IgnoreReason | "invalid_payload" | "conflict";

export interface ApplyContext {
  actor: Actor;
  /** Digest of the bytes, which do nothing twice; null when an administrator has them applied again. */
  bodyDigest: string | null;
}

type IgnoreReason = Extract<Answer, { action: "ignored" }>["reason"];

/**
 * Deliveries that are ignored for these reasons carry no flags: the service does not handle them, so the administrator
 * need not look.
 */
const ROUTINE: ReadonlySet<IgnoreReason> = new Set<IgnoreReason>(["unknown_event", "status_not_paid"]);

/** The delivery changes nothing, and why. */
export function ignored(delivery: PaymentDelivery, reason: IgnoreReason): Outcome {
  const flags = ROUTINE.has(reason) ? [] : delivery.flags;
  return { answer: { ok: true, action: "ignored", event: delivery.event, reason }, flags };
}
