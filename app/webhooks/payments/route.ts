/** POST /webhooks/payments: the same handler under the plural, for platforms configured with it (decision 61). */
export { POST } from "@/app/webhooks/payment/route";
