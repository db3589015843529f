import { brand } from "./brand";
import { writeSubscriberRef } from "./subscriber-ref";

/**
 * Query parameter that each platform returns with the purchase: Stripe as `client_reference_id`, Lemon Squeezy as
 * custom data, Gumroad among its URL parameters. The operator's own page must pass `subscriber` on as custom data
 * (Paddle) or metadata (Whop).
 */
const PARAMETERS: readonly { host: RegExp; parameter: string }[] = [
  { host: /(?:^|\.)stripe\.com$/, parameter: "client_reference_id" },
  { host: /(?:^|\.)lemonsqueezy\.com$/, parameter: "checkout[custom][subscriber]" },
];

/**
 * The shop's address with the subscriber's reference, so that a purchase extends the same access, even if
 * another e-mail address pays.
 */
export function renewalLink(shopUrl: string, subscriptionId: number): string {
  const url = new URL(shopUrl);
  const known = PARAMETERS.find(({ host }) => host.test(url.hostname));
  url.searchParams.set(known?.parameter ?? "subscriber", writeSubscriberRef(subscriptionId));
  return url.href;
}

/** Where this subscriber renews or changes the plan; null: no shop is configured. */
export function subscriberShop(subscriptionId: number | null): string | null {
  const { shopUrl } = brand();
  return shopUrl === null || !subscriptionId ? shopUrl : renewalLink(shopUrl, subscriptionId);
}
