import { Button, LinkButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { type OptionalMailKind, readUnsubscribeToken } from "@/lib/outbound/mail/unsubscribe";
import { paths } from "@/lib/paths";

export const metadata = { title: "Your mails" };

type Params = Promise<{ token?: string | string[]; done?: string | string[] }>;

const MAILS: Record<OptionalMailKind, string> = {
  "expiry-reminder": "reminders before your access ends",
  "plan-ending": "reminders before your access ends",
  "ea-offline": "mails when your EA goes offline",
  "model-changed": "mails when a model of your plan changes",
  notice: "news from the operator of this service",
};

/** The page that the unsubscribe link of a mail opens. Only its button unsubscribes, because mail scanners open links. */
export default async function DeclineMailsPage({ searchParams }: { searchParams: Params }) {
  const { token: given, done } = await searchParams;
  const token = typeof given === "string" ? given : "";
  const found = readUnsubscribeToken(token);
  return (
    <>
      <h1 className="text-2xl">Your mails</h1>
      {found === null ? (
        <>
          <div className="mt-6">
            {done === "true" ? (
              <Notice tone="done" title="You get no more mails of this kind" announce>
                You still get mails about your key and your payments.
              </Notice>
            ) : (
              <Notice tone="warn" title="This link does not work" announce>
                It is incomplete. Choose your mails in the portal, under Settings.
              </Notice>
            )}
          </div>
          <div className="mt-6">
            <LinkButton href={paths.login(paths.portalSettings())} variant="primary">
              Open settings
            </LinkButton>
          </div>
        </>
      ) : (
        <form method="post" action={paths.unsubscribeNow()} className="mt-6">
          <p className="text-muted">Do you want to stop {MAILS[found.kind]}?</p>
          <input type="hidden" name="token" value={token} />
          <Button type="submit" variant="primary" size="large" className="mt-6 w-full">
            Stop these mails
          </Button>
        </form>
      )}
    </>
  );
}
