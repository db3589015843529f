import { db } from "@/db/client";
import { adapterOf } from "@/lib/payments/adapters/find-adapter";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { type AnswerMessage, type DeliveryMessage, errorCodeOf } from "./payment-messages";

/**
 * A process that `startPaymentProcess` starts: it receives deliveries as another replica would, over its own database
 * connections, and ends with the process that started it.
 */

process.on("disconnect", () => process.exit(0));
process.on("message", async ({ id, platform, body }: DeliveryMessage) => {
  const answer: AnswerMessage = { id };
  try {
    const actor = { kind: "webhook", requestId: "second process" } as const;
    await receiveDelivery(db(), adapterOf(platform), Buffer.from(body, "base64"), actor, 60_000);
  } catch (error) {
    answer.message = String(error);
    answer.code = errorCodeOf(error);
  }
  process.send?.(answer);
});
process.send?.({ id: 0 } satisfies AnswerMessage);
