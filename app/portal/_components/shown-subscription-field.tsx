import { requireSubscriber } from "@/lib/auth/require-subscriber";

/**
 * A hidden field with the subscription that the page showed. If another tab picks another subscription or signs in as
 * another person meanwhile, the form is refused.
 */
export async function ShownSubscriptionField() {
  const { subscriptionId } = await requireSubscriber({ tryOut: true });
  return <input type="hidden" name="seen_by" value={subscriptionId} />;
}
