import { preparedDb } from "@/db/client";
import { respond } from "@/lib/api/answer";
import { factsOf } from "@/lib/api/facts";
import { route } from "@/lib/api/route";
import { receiveDelivery } from "@/lib/payments/receive-delivery";
import { PaymentAnswer } from "@/lib/wire/contracts/payments";
import { readSignedBody } from "./read-signed-body";

/** POST /webhooks/payment: the payment platform reports a change of an invoice. */
export const POST = route(async (request) => {
  const body = await readSignedBody(request);
  const answer = await receiveDelivery(preparedDb(), body, {
    kind: "webhook",
    requestId: factsOf(request).requestId,
  });
  return respond(PaymentAnswer, answer);
});
