import * as singular from "@/app/webhooks/payment/operation";
import type { OperationDeclaration } from "@/lib/api/openapi/operation";

export const POST: OperationDeclaration = {
  ...singular.POST,
  id: "receivePaymentPlural",
  summary: "Alias of /webhooks/payment",
};
