import { redirect } from "next/navigation";
import { Button, LinkButton } from "@/app/_components/button";
import { Notice } from "@/app/_components/notice";
import { db } from "@/db/client";
import { findSignInToken } from "@/db/queries/sign-in-links";
import { SIGN_IN_LINK_MINUTES } from "@/lib/auth/request-sign-in-link";
import { currentSubscriber } from "@/lib/auth/require-subscriber";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { paths } from "@/lib/paths";
import { sha256 } from "@/lib/runtime/secrets";

export const metadata = { title: "Confirm sign-in" };

const WORTHLESS = {
  used: { title: "This link was used already", text: "Each link works once." },
  expired: { title: "This link has expired", text: `A link is valid for ${SIGN_IN_LINK_MINUTES} minutes.` },
  unknown: {
    title: "This link is unknown",
    text: "It may have been cut off. Open it from the mail again, or request a new one.",
  },
} as const;

type Params = Promise<{ token?: string | string[]; next?: string | string[] }>;

/** The page that a mailed sign-in link opens. Only its button signs in, because mail scanners open links. */
export default async function ConfirmPage({ searchParams }: { searchParams: Params }) {
  const { token: given, next: wanted } = await searchParams;
  const token = typeof given === "string" ? given : "";
  const next = safeReturnPath(wanted, undefined);
  const found = await findSignInToken(db(), sha256(token));

  // A used link that is opened again in the browser that it signed in, such as by a double click on the mail.
  if (found?.state === "used" && (await currentSubscriber()).kind === "subscriber")
    redirect(next ?? paths.portal());

  if (found?.state !== "valid") {
    const { title, text } = WORTHLESS[found?.state ?? "unknown"];
    return (
      <>
        <h1 className="text-2xl">Sign in</h1>
        <div className="mt-6">
          <Notice tone="warn" title={title} announce>
            {text}
          </Notice>
        </div>
        <div className="mt-6">
          <LinkButton href={paths.login(next)} variant="primary">
            Request a new link
          </LinkButton>
        </div>
      </>
    );
  }
  return (
    <>
      <h1 className="text-2xl">Sign in</h1>
      <p className="mt-2 text-muted">
        As <strong className="font-medium text-ink">{maskAddress(found.emailNormalized)}</strong>, on this
        device.
      </p>
      <form method="post" action={paths.signInByLink()} className="mt-6">
        <input type="hidden" name="token" value={token} />
        {next && <input type="hidden" name="next" value={next} />}
        <Button type="submit" variant="primary" size="large" className="w-full">
          Sign in
        </Button>
      </form>
      <p className="mt-4 text-sm text-muted">
        Did not request this? Close the page: nothing happens without this button.
      </p>
    </>
  );
}

/** `ada@example.com` as `a••@example.com`: enough to recognise your own address. */
function maskAddress(email: string): string {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, 1)}••${email.slice(at)}`;
}
