import { preparedDb } from "@/db/client";
import { respond } from "@/lib/api/answer";
import { PaymentAnswer } from "@/lib/api/contracts/payments";
import { factsOf } from "@/lib/api/facts";
import { route } from "@/lib/api/route";
import { readSignedBody } from "@/lib/payments/read-signed-body";
import { receiveDelivery } from "@/lib/payments/receive-delivery";

/** POST /webhooks/payment: the payment platform tells what became of an invoice. */
export const POST = route(async (request) => {
  const body = await readSignedBody(request);
  const answer = await receiveDelivery(preparedDb(), body, {
    kind: "webhook",
    requestId: factsOf(request).requestId,
  });
  return respond(PaymentAnswer, answer);
});
