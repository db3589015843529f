import type { z } from "zod";
import type { Actor } from "@/lib/runtime/audit";
import type { PaymentAnswer } from "@/lib/wire/contracts/payments";
import type { DeliveryFlag, PaymentDelivery } from "./delivery";

export type DeliveryAnswer = z.output<typeof PaymentAnswer>;

/** Result of a delivery: the body of the 200, and flags for the administrator's review. */
export interface DeliveryOutcome {
  answer: DeliveryAnswer;
  flags: DeliveryFlag[];
  /** Set if a delivery that is answered as ignored had an effect. */
  effect?: DeliveryEffect | undefined;
  /** The former and the new plan of a delivery that changed the plan. */
  planChange?: string | null;
}

/** `payment_failed`: a failed payment was recorded, but added no days of grace. */
export type DeliveryEffect = "key_reinstated" | "grace_given" | "payment_failed" | "plan_changed";

/**
 * A delivery's action in the inbox: that of the answer, but the effect of a delivery that is answered as ignored.
 * `rejected`: the body could not be read (400), or the address of the payment's customer was not known (409).
 */
export type InboxAction = DeliveryAnswer["action"] | DeliveryEffect | "rejected";

/** Flags in the inbox. `unreadable`: the body could not be read. */
export type InboxFlag = DeliveryFlag | "unreadable";

/** Why a delivery was ignored or rejected. */
export type InboxReason = IgnoreReason | "invalid_payload" | "conflict";

export interface ApplyContext {
  actor: Actor;
  /** Whether equal bytes came before and were not rejected. False when an administrator applies a delivery again. */
  isRepeated: boolean;
  /** The stored flags of a delivery that an administrator applies again; missing otherwise. */
  formerFlags?: readonly string[];
}

type IgnoreReason = Extract<DeliveryAnswer, { action: "ignored" }>["reason"];

/** Reasons for which `ignoredDeliveryOutcome` drops the delivery's flags. Its caller can add flags for review. */
const ROUTINE: ReadonlySet<IgnoreReason> = new Set<IgnoreReason>(["unknown_event", "status_not_paid"]);

/** The result of a delivery that is answered as ignored. */
export function ignoredDeliveryOutcome(delivery: PaymentDelivery, reason: IgnoreReason): DeliveryOutcome {
  const flags = ROUTINE.has(reason) ? [] : delivery.flags;
  return { answer: { ok: true, action: "ignored", event: delivery.event, reason }, flags };
}
