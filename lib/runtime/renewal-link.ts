import { brand } from "./brand";
import { writeSubscriberRef } from "./subscriber-ref";

/**
 * The parameter of a shop's address that each platform hands back with the purchase: Stripe as `client_reference_id`,
 * Lemon Squeezy as custom data, Gumroad among the parameters of the address. A page of one's own passes `subscriber` on
 * as custom data (Paddle) or metadata (Whop).
 */
const PARAMETERS: readonly { host: RegExp; parameter: string }[] = [
  { host: /(?:^|\.)stripe\.com$/, parameter: "client_reference_id" },
  { host: /(?:^|\.)lemonsqueezy\.com$/, parameter: "checkout[custom][subscriber]" },
];

/** The shop's address for one subscriber, so that what is paid there extends the same access, whatever address pays. */
export function renewalLink(shopUrl: string, subscriptionId: number): string {
  const url = new URL(shopUrl);
  const known = PARAMETERS.find(({ host }) => host.test(url.hostname));
  url.searchParams.set(known?.parameter ?? "subscriber", writeSubscriberRef(subscriptionId));
  return url.href;
}

/** Where this subscriber renews or changes the plan; null when the installation names no shop. */
export function subscriberShop(subscriptionId: number | null): string | null {
  const { shopUrl } = brand();
  return shopUrl === null || !subscriptionId ? shopUrl : renewalLink(shopUrl, subscriptionId);
}
