/** POST /webhooks/payments: an alias in the plural, which some platforms have configured. */
export { POST } from "@/app/webhooks/payment/route";
