import { receivePaymentWebhook } from "@/app/webhooks/payment/receive";
import { route } from "@/lib/api/route";
import { findAdapter } from "@/lib/payments/adapters/find-adapter";
import { AppError } from "@/lib/wire/errors";

/** POST /webhooks/payments/{adapter}: an event of a supported payment platform. */
export const POST = route(async (request, params: { adapter: string }) => {
  const adapter = findAdapter(params.adapter);
  if (!adapter) throw new AppError("not_found", { detail: "There is no payment platform of this name." });
  return receivePaymentWebhook(adapter, request);
});
