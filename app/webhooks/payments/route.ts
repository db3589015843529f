/** POST /webhooks/payments: the same handler under the plural, for platforms configured with it. */
export { POST } from "@/app/webhooks/payment/route";
