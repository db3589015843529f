import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { ActionForm } from "@/app/admin/_components/allowed";
import { FLAG_WORDS } from "@/app/admin/_components/payment-words";
import { adminPaths } from "@/lib/paths";

/** What is odd about a delivery, and the button of a person who has looked at it. */
export function FlagsNotice({
  delivery,
}: {
  delivery: { id: number; flags: readonly string[]; reviewedAt: Date | null };
}) {
  return (
    <Notice
      tone={delivery.reviewedAt ? "info" : "warn"}
      title={delivery.reviewedAt ? "Reviewed" : "To review"}
      actions={
        !delivery.reviewedAt && (
          <ActionForm needs="payment.review" action={adminPaths.deliveryForm(delivery.id, "review")}>
            <Button type="submit" size="small">
              Mark as reviewed
            </Button>
          </ActionForm>
        )
      }
    >
      {delivery.flags.map((flag) => FLAG_WORDS[flag]?.long ?? flag).join(" ")}
    </Notice>
  );
}
