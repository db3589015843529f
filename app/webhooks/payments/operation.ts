import * as singular from "@/app/webhooks/payment/operation";
import type { Declaration } from "@/lib/api/openapi/operation";

export const POST: Declaration = {
  ...singular.POST,
  id: "receivePaymentPlural",
  summary: "Alias of /webhooks/payment",
};
