import type { z } from "zod";
import type { PaymentAnswer } from "../api/contracts/payments";
import type { Actor } from "../audit";
import type { DeliveryFlag, PaymentDelivery } from "./delivery";

export type Answer = z.output<typeof PaymentAnswer>;

/** What a delivery did: the body of the 200, and what a person should look at. */
export interface Outcome {
  answer: Answer;
  flags: DeliveryFlag[];
}

export interface ApplyContext {
  actor: Actor;
  /** These very bytes were applied before: nothing they could do is done again. */
  repeated: boolean;
}

type IgnoreReason = Extract<Answer, { action: "ignored" }>["reason"];

/** The delivery changes nothing, and why. */
export function ignored(delivery: PaymentDelivery, reason: IgnoreReason): Outcome {
  return { answer: { ok: true, action: "ignored", event: delivery.event, reason }, flags: delivery.flags };
}
