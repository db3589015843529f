import { requireSubscriber } from "@/lib/auth/require-subscriber";

/**
 * Names in a form whose portal its page showed. A tab may stay open while another one picks another subscription or signs
 * in as somebody else: its forms then change nothing.
 */
export async function SeenBy() {
  const { subscriptionId } = await requireSubscriber({ tryOut: true });
  return <input type="hidden" name="seen_by" value={subscriptionId} />;
}
