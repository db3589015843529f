/** POST /webhooks/payments: the same under the plural, for whoever configured the platform with it. */
export { POST } from "@/app/webhooks/payment/route";
