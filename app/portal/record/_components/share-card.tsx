import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CodeBlock } from "@/app/_components/code-block";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { Notice } from "@/app/_components/notice";
import { formatInstantOn } from "@/app/_components/times";
import { PortalForms } from "@/app/portal/_components/portal-forms";
import { ShownSubscriptionField } from "@/app/portal/_components/shown-subscription-field";
import { SHARED_DAYS } from "@/lib/executions/own-record/share-record";
import type { WallClock } from "@/lib/market/clock";
import { paths } from "@/lib/paths";

/**
 * The link and the badge that share the subscriber's record, with forms to create, replace and withdraw them. The
 * address is shown only once.
 */
export function ShareCard({
  token,
  linkedAt,
  baseUrl,
  clock,
}: {
  /** The token of a link that was just created; null otherwise. */
  token: string | null;
  /** When the current link was created; null: there is none. */
  linkedAt: Date | null;
  baseUrl: string;
  clock: WallClock;
}) {
  const isOut = linkedAt !== null;
  return (
    <Card
      title="Share your record"
      lead={`A page and a badge with the steps above over ${SHARED_DAYS} days. They show no name, no account and no signal that is still open. Search engines are asked not to list them.`}
    >
      <div className="space-y-4">
        {token !== null && (
          <>
            <Notice tone="done" title="This is your link: it is shown only now" announce>
              Anyone who has it can read your record until you withdraw it.
            </Notice>
            <CodeBlock name="Link" code={`${baseUrl}${paths.sharedRecord(token)}`} />
            <CodeBlock
              name="Badge for a forum or a README"
              code={`[![My record](${baseUrl}${paths.sharedRecordBadge(token)})](${baseUrl}${paths.sharedRecord(token)})`}
            />
          </>
        )}
        {isOut && token === null && (
          <p className="text-sm text-muted">
            A link has been active since {formatInstantOn(clock, linkedAt)}. Its address was shown once. A new
            link replaces it.
          </p>
        )}
        <PortalForms className="flex flex-wrap gap-3">
          {token !== null && <LinkButton href={paths.sharedRecord(token)}>Open the page</LinkButton>}
          <form method="post" action={paths.portalRecordForm("share")}>
            <ShownSubscriptionField />
            <Button type="submit">{isOut ? "Create a new link" : "Create a link"}</Button>
          </form>
          {isOut && (
            <ConfirmDialog
              trigger="Withdraw the link"
              title="Withdraw the link to your record?"
              consequence="The page and the badge stop working at once, wherever you posted them. A new link has another address."
              confirmLabel="Withdraw it"
              action={paths.portalRecordForm("withdraw")}
            >
              <ShownSubscriptionField />
            </ConfirmDialog>
          )}
        </PortalForms>
      </div>
    </Card>
  );
}
