import { Button } from "@/app/_components/button";
import { countWithNoun } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { formatInstant } from "@/app/_components/times";
import { ActionDialog, ActionForm } from "@/app/admin/_components/action-controls";
import { adminPaths } from "@/lib/paths";

/** Delay and end date of a try-out, with a button that removes the delay and one that ends the try-out. */
export function TryOutNotice({
  id,
  keyId,
  delayCandles,
  expiresAt,
  now,
}: {
  id: number;
  keyId: number;
  delayCandles: number;
  expiresAt: Date | null;
  now: Date;
}) {
  const isOver = expiresAt !== null && expiresAt <= now;
  return (
    <Notice
      tone="warn"
      title={`Try-out: signals arrive ${countWithNoun(delayCandles, "candle")} late`}
      actions={
        <>
          <ActionForm needs="key.make_full" action={adminPaths.subscriberForm(id, "make-full")}>
            <input type="hidden" name="key_id" value={keyId} />
            <Button type="submit" size="small">
              Make it a full key
            </Button>
          </ActionForm>
          {!isOver && (
            <ActionDialog
              needs="key.stop_try_out"
              trigger="End try-out"
              triggerSize="small"
              title="End this try-out?"
              consequence="The next request with the key is refused. A payment or an extension makes the same key valid again. The address cannot get another try-out."
              confirmLabel="End the try-out"
              action={adminPaths.subscriberForm(id, "stop-try-out")}
              fields={{ key_id: String(keyId) }}
            />
          )}
        </>
      }
    >
      {expiresAt !== null && `${isOver ? "It ended" : "It ends"} on ${formatInstant(expiresAt)}. `}A payment
      removes the delay. To give full access without a payment, make it a full key: its end stays the same.
    </Notice>
  );
}
