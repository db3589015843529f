import { route } from "@/lib/api/route";
import { generic } from "@/lib/payments/adapters/generic";
import { receivePaymentWebhook } from "./receive";

/** POST /webhooks/payment: a payment event in the generic format. */
export const POST = route((request) => receivePaymentWebhook(generic, request));
