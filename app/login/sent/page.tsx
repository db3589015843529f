import { MailCheck } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { OutboxNotice } from "@/app/_components/outbox-notice";
import { SIGN_IN_LINK_MINUTES } from "@/lib/auth/request-sign-in-link";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { MAILS_PER_LINK } from "@/lib/auth/sign-in-limits";
import { paths } from "@/lib/paths";

export const metadata = { title: "Check your e-mail" };

type Params = Promise<{ next?: string | string[] }>;

/** Says that a link was sent. The text is the same for every address, so that it does not disclose who is a subscriber. */
export default async function SentPage({ searchParams }: { searchParams: Params }) {
  const { next } = await searchParams;
  return (
    <>
      <span className="grid size-11 place-items-center rounded-lg border bg-raised text-accent">
        <MailCheck aria-hidden="true" className="size-5" />
      </span>
      <h1 className="mt-5 text-2xl">Check your e-mail</h1>
      <p className="mt-2 text-muted">
        If there is a subscription with that address, we have sent it a link. It works once, for{" "}
        {SIGN_IN_LINK_MINUTES} minutes.
      </p>
      <div className="mt-6 empty:hidden">
        <OutboxNotice />
      </div>
      <ul className="mt-6 list-disc space-y-2 pl-5 text-sm text-muted">
        <li>Nothing after two minutes? Check your spam folder.</li>
        <li>Use the address of your account, where our mails arrive.</li>
        <li>
          Requested twice? The second mail can have the same link. Each link is in at most {MAILS_PER_LINK}{" "}
          mails.
        </li>
      </ul>
      <div className="mt-8">
        <LinkButton href={paths.login(safeReturnPath(next, undefined))}>Back to sign-in</LinkButton>
      </div>
    </>
  );
}
