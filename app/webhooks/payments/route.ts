/** POST /webhooks/payments: an alias of /webhooks/payment, because some platforms are configured with the plural. */
export { POST } from "@/app/webhooks/payment/route";
