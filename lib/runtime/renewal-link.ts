import { brand } from "./brand";
import { signSubscriberRef } from "./subscriber-ref";

/**
 * Query parameter of a shop's address that the platform returns with the purchase: Stripe as `client_reference_id`,
 * Lemon Squeezy as custom data. For every other host it is `subscriber`, which Gumroad returns among its URL
 * parameters. An operator's own page must pass it on as custom data (Paddle) or metadata (Whop).
 */
const PARAMETERS: readonly { host: RegExp; parameter: string }[] = [
  { host: /(?:^|\.)stripe\.com$/, parameter: "client_reference_id" },
  { host: /(?:^|\.)lemonsqueezy\.com$/, parameter: "checkout[custom][subscriber]" },
];

/**
 * The shop's address with a signed reference to the subscriber, so that a purchase extends the same access even if
 * another e-mail address pays.
 */
export function renewalLink(shopUrl: string, subscriptionId: number): string {
  const url = new URL(shopUrl);
  const known = PARAMETERS.find(({ host }) => host.test(url.hostname));
  url.searchParams.set(known?.parameter ?? "subscriber", signSubscriberRef(subscriptionId));
  return url.href;
}

/** The shop address where this subscriber renews or changes the plan; null: no shop is configured. */
export function subscriberShopUrl(subscriptionId: number | null): string | null {
  const { shopUrl } = brand();
  return shopUrl === null || !subscriptionId ? shopUrl : renewalLink(shopUrl, subscriptionId);
}
