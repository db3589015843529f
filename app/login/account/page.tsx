import { Button, LinkButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { db } from "@/db/client";
import { ACCOUNT_LINK_MINUTES, readAccountLink } from "@/lib/access/account/requests";
import { paths } from "@/lib/paths";

export const metadata = { title: "Your account" };

type Params = Promise<{ token?: string | string[] }>;

/**
 * The page that a mailed link to delete an account or change its address opens. Only its button performs the action,
 * because mail scanners open links.
 */
export default async function AccountLinkPage({ searchParams }: { searchParams: Params }) {
  const { token: given } = await searchParams;
  const token = typeof given === "string" ? given : "";
  const found = await readAccountLink(db(), token);
  if (!found)
    return (
      <>
        <h1 className="text-2xl">Your account</h1>
        <div className="mt-6">
          <Notice tone="warn" title="This link does not work" announce>
            It was used, a newer mail replaced it, it is older than {ACCOUNT_LINK_MINUTES} minutes, or the
            account is already deleted. If you still have the account, ask for another link in the portal,
            under Settings.
          </Notice>
        </div>
        <div className="mt-6">
          <LinkButton href={paths.login(paths.portalSettings())} variant="primary">
            To the settings
          </LinkButton>
        </div>
      </>
    );
  return (
    <>
      {found.kind === "delete" ? <Deletion /> : <AddressChange newEmail={found.newEmail} side={found.side} />}
      <form method="post" action={paths.confirmAccountLink()} className="mt-6">
        <input type="hidden" name="token" value={token} />
        <Button
          type="submit"
          variant={found.kind === "delete" ? "danger" : "primary"}
          size="large"
          className="w-full"
        >
          {found.kind === "delete" ? "Delete my account now" : "Confirm"}
        </Button>
      </form>
      <p className="mt-4 text-sm text-muted">
        Did not request this? Close the page: nothing happens without this button.
      </p>
    </>
  );
}

function Deletion() {
  return (
    <>
      <h1 className="text-2xl">Delete your account</h1>
      <ul className="mt-4 list-disc space-y-2 pl-5 text-sm text-muted">
        <li>Your keys stop working at once, and open streams end.</li>
        <li>Your name, addresses, mails, webhooks, Telegram chat and the data from the shop are deleted.</li>
        <li>
          Your trades stay as anonymous statistics. Invoices stay as long as the law requires, without your
          name.
        </li>
        <li>Backups still contain it until they are replaced.</li>
        <li>This cannot be undone, and it does not cancel your subscription in the shop.</li>
      </ul>
    </>
  );
}

function AddressChange({ newEmail, side }: { newEmail: string | null; side: "present" | "new" }) {
  return (
    <>
      <h1 className="text-2xl">Change your address</h1>
      <p className="mt-2 text-muted">
        To <strong className="font-medium break-all text-ink">{newEmail}</strong>, for signing in and for all
        mail. We also sent a link to the {side === "new" ? "old" : "new"} address; the change takes effect
        when both links have been used.
      </p>
    </>
  );
}
