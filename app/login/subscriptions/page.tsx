import { redirect } from "next/navigation";
import { Badge } from "@/app/_components/badge";
import { Button, LinkButton } from "@/app/_components/button";
import { DeleteAccountDialog } from "@/app/_components/delete-account-dialog";
import { Notice } from "@/app/_components/notice";
import { formatDay } from "@/app/_components/times";
import { db } from "@/db/client";
import { listSubscriptionsOfPerson, type SubscriptionOfPerson } from "@/db/queries/subscriptions";
import { ACCOUNT_LINK_MINUTES } from "@/lib/access/account/requests";
import { planTitle } from "@/lib/access/plans";
import { currentSubscriber } from "@/lib/auth/require-subscriber";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { paths } from "@/lib/paths";
import { subscriberShopUrl } from "@/lib/runtime/renewal-link";

export const metadata = { title: "Your subscriptions" };

type Params = Promise<{ next?: string | string[]; said?: string | string[] }>;

/** A person with several subscriptions chooses one; a person without access reads why it ended. */
export default async function SubscriptionsPage({ searchParams }: { searchParams: Params }) {
  const { next: wanted, said } = await searchParams;
  const next = safeReturnPath(wanted, undefined);
  const found = await currentSubscriber();
  if (found.kind === "signed-out") redirect(paths.login(next));
  const person = found.kind === "subscriber" ? found.subscriber : found.session;
  const own = await listSubscriptionsOfPerson(db(), person);
  const shopUrl = subscriberShopUrl(own[0]?.subscriptionId ?? null);
  const live = own.filter((subscription) => subscription.state === "live");
  const isByMail = person.emailNormalized !== null;
  const [ended] = own;
  const shownId = found.kind === "subscriber" ? found.subscriber.subscriptionId : null;

  return (
    <>
      <h1 className="text-2xl">{live.length > 0 ? "Your subscriptions" : "Your access has ended"}</h1>
      {said === "mailed" && (
        <div className="mt-6">
          <Notice tone="done" title="A mail is on its way" announce>
            Its link works for {ACCOUNT_LINK_MINUTES} minutes. Nothing is deleted before you use it.
          </Notice>
        </div>
      )}
      {live.length === 0 ? (
        <div className="mt-6">
          <Notice
            tone="warn"
            title="No active key"
            announce
            actions={
              shopUrl && (
                <LinkButton href={shopUrl} size="small">
                  Renew
                </LinkButton>
              )
            }
          >
            The portal opens again as soon as a payment arrives. Your positions and your history are kept.
          </Notice>
        </div>
      ) : (
        <p className="mt-2 text-muted">Choose the one to open. You can change it later.</p>
      )}
      <ul className="mt-6 divide-y overflow-hidden rounded-lg border bg-raised">
        {own.map((subscription) => (
          <li
            key={subscription.subscriptionId}
            className="flex flex-wrap items-center gap-x-4 gap-y-3 p-4 sm:px-5"
          >
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-2 font-medium">
                {subscription.userName}
                {subscription.planTier && <Badge tone="accent">{planTitle(subscription.planTier)}</Badge>}
              </p>
              <p className="mt-0.5 text-sm text-muted">{describe(subscription)}</p>
            </div>
            {subscription.state !== "live" && isByMail && (
              <div className="flex flex-wrap gap-2">
                <LinkButton href={paths.subscriptionData(subscription.subscriptionId)} size="small" download>
                  Export my data
                </LinkButton>
                <LinkButton
                  href={paths.subscriptionPayments(subscription.subscriptionId)}
                  size="small"
                  download
                >
                  Payments as CSV
                </LinkButton>
              </div>
            )}
            {subscription.state === "live" && (
              <form method="post" action={paths.pickSubscription()}>
                <input type="hidden" name="subscription" value={subscription.subscriptionId} />
                {next && <input type="hidden" name="next" value={next} />}
                <Button type="submit" variant="primary" size="small">
                  Open
                  <span className="sr-only">
                    {" "}
                    <bdi>{subscription.userName}</bdi>, key {subscription.hint}
                  </span>
                </Button>
              </form>
            )}
          </li>
        ))}
        {own.length === 0 && (
          <li className="p-5 text-sm text-muted">
            No subscription has the address you signed in with. Sign in again with your current address or
            key.
          </li>
        )}
      </ul>
      {live.length === 0 && !isByMail && (
        <p className="mt-4 text-sm text-muted">
          To export or delete your data, sign out and sign in with a link to your e-mail address.
        </p>
      )}
      <div className="mt-6 flex flex-wrap gap-2">
        {live.length === 0 && isByMail && ended && (
          <DeleteAccountDialog byMail action={paths.chooseSubscriptionForm("delete-account")}>
            <input type="hidden" name="subscription" value={ended.subscriptionId} />
          </DeleteAccountDialog>
        )}
        {shownId !== null && <LinkButton href={paths.portal()}>Back to the portal</LinkButton>}
        <form method="post" action={paths.signOut()}>
          <Button type="submit" variant="quiet">
            Sign out
          </Button>
        </form>
      </div>
    </>
  );
}

function describe(subscription: SubscriptionOfPerson): string {
  const key = subscription.hint ? `Key ${subscription.hint}` : "No key";
  if (subscription.state === "live")
    return `${key}, ${subscription.expiresAt ? `until ${formatDay(subscription.expiresAt)}` : "no end date"}`;
  const when = subscription.endedAt ? ` on ${formatDay(subscription.endedAt)}` : "";
  const ended = subscription.state === "expired" ? "ended" : subscription.state;
  return `${key}, ${ended}${when}`;
}
