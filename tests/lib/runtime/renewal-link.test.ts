import { expect, it } from "vitest";
import { renewalLink } from "@/lib/runtime/renewal-link";
import { verifySubscriberRef } from "@/lib/runtime/subscriber-ref";
import { useDatabase } from "@/tests/support/database";

useDatabase();

it.each([
  ["https://buy.stripe.com/abc?locale=de", "client_reference_id"],
  ["https://shop.lemonsqueezy.com/checkout/buy/abc", "checkout[custom][subscriber]"],
  ["https://seller.gumroad.com/l/signals", "subscriber"],
  ["https://example.com/buy", "subscriber"],
])("a renewal link to %s names the subscriber as %s", (shop, parameter) => {
  const url = new URL(renewalLink(shop, 5));
  const ref = url.searchParams.get(parameter);
  expect(ref).toMatch(/^[\w-]{1,200}$/);
  expect(verifySubscriberRef(ref)).toBe(5);
  expect(url.searchParams.get("locale")).toBe(new URL(shop).searchParams.get("locale"));
});

it("a renewal link's signature for another subscriber, or for none, is refused", () => {
  const ref = new URL(renewalLink("https://example.com", 5)).searchParams.get("subscriber");
  expect(verifySubscriberRef(ref!.replace(/^5/, "6"))).toBeNull();
  for (const text of [null, "", "5", "5-", `0-${"a".repeat(32)}`, `5-${"A".repeat(32)}`])
    expect(verifySubscriberRef(text)).toBeNull();
});
