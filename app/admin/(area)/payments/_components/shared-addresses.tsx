import { Button } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { adminPaths } from "@/lib/paths";

/** Subscribers whose stored addresses are the same mailbox. */
export function SharedAddresses({
  groups,
}: {
  groups: readonly { id: number; subscribers: { id: number; userName: string }[] }[];
}) {
  if (groups.length === 0) return null;
  return (
    <Notice
      tone="warn"
      title="Subscribers with one address"
      actions={
        <ActionForm needs="payment.review_shared" action={adminPaths.reviewSharedAddresses()}>
          <Button type="submit" size="small">
            Mark as reviewed
          </Button>
        </ActionForm>
      }
    >
      Their addresses differed in invisible characters or in the form of the domain. They sign in as one
      person, and a payment extends the newest key. Check whether access was paid for twice.
      <ul className="mt-2 list-inside list-disc">
        {groups.map(({ id, subscribers }) => (
          <li key={id}>
            {subscribers.map((subscriber, i) => (
              <span key={subscriber.id}>
                {i > 0 && ", "}
                <a href={adminPaths.subscriber(subscriber.id)} className="link">
                  {subscriber.userName}
                </a>{" "}
                <span className="text-muted">(subscriber {subscriber.id})</span>
              </span>
            ))}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
