import { Button, LinkButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FLAG_LABELS } from "@/app/admin/_components/payment-labels";
import { adminPaths } from "@/lib/paths";

/**
 * The flags of a delivery, each with what an administrator must decide, a link to the subscriber, and the button that
 * marks the delivery as reviewed.
 */
export function FlagsNotice({
  delivery,
  subscriptionId,
}: {
  delivery: { id: number; flags: readonly string[]; reviewedAt: Date | null };
  /** null: the delivery names no subscriber. */
  subscriptionId: number | null;
}) {
  return (
    <Notice
      tone={delivery.reviewedAt ? "info" : "warn"}
      title={delivery.reviewedAt ? "Reviewed" : "To review"}
      actions={
        !delivery.reviewedAt && (
          <>
            {subscriptionId !== null && (
              <LinkButton href={adminPaths.subscriber(subscriptionId)} size="small">
                Open subscriber
              </LinkButton>
            )}
            <ActionForm needs="payment.review" action={adminPaths.deliveryForm(delivery.id, "review")}>
              <Button type="submit" size="small">
                Mark as reviewed
              </Button>
            </ActionForm>
          </>
        )
      }
    >
      {delivery.flags.map((flag) => FLAG_LABELS[flag]?.long ?? flag).join(" ")}
    </Notice>
  );
}
