import { redirect } from "next/navigation";
import { Button } from "@/app/_components/button";
import { TextInput } from "@/app/_components/form/text-input";
import { Notice } from "@/app/_components/notice";
import { currentSubscriber } from "@/lib/auth/require-subscriber";
import { safeReturnPath } from "@/lib/auth/safe-return-path";
import { SIGN_IN_ERROR_TEXTS } from "@/lib/auth/sign-in";
import { paths } from "@/lib/paths";

export const metadata = { title: "Sign in" };

type Params = Promise<{ next?: string | string[]; error?: string | string[]; notice?: string | string[] }>;

const NOTICES: Record<string, { title: string; text: string }> = {
  signed_out: { title: "You are signed out", text: "The session of this browser has ended." },
  signed_out_everywhere: {
    title: "You are signed out everywhere",
    text: "All sessions of this subscription have ended. Your EA is not affected.",
  },
  ended: {
    title: "Your session has ended",
    text: "Sign in again. You then return to the page that you requested. If you sent a form just now, it was not saved.",
  },
  again: {
    title: "Sign in again",
    text: "To rotate your key you must have signed in within the last ten minutes.",
  },
};

const MISTAKES: Record<string, string> = {
  ...SIGN_IN_ERROR_TEXTS,
  too_many_links:
    "Too many links were requested from this network. Wait an hour, or sign in with your API key.",
};

/** The message for a reason in the address; undefined for an unknown reason. */
function messageFor<T>(texts: Record<string, T>, word: string | string[] | undefined): T | undefined {
  return typeof word === "string" && Object.hasOwn(texts, word) ? texts[word] : undefined;
}

/** Sign-in by a link in a mail or by the API key. */
export default async function LoginPage({ searchParams }: { searchParams: Params }) {
  const { next: wanted, error, notice } = await searchParams;
  const next = safeReturnPath(wanted, undefined);
  const found = await currentSubscriber();
  if (found.kind === "subscriber" && notice !== "again" && !error) redirect(next ?? paths.portal());
  const message = messageFor(NOTICES, notice);
  const mistake = messageFor(MISTAKES, error);

  return (
    <>
      <h1 className="text-2xl">Sign in</h1>
      <p className="mt-2 text-muted">See your signals, your results and your key.</p>
      <div className="mt-6 space-y-4">
        {message && (
          <Notice title={message.title} announce>
            {message.text}
          </Notice>
        )}
        {mistake && (
          <Notice tone="danger" title="You were not signed in" announce>
            {mistake}
          </Notice>
        )}
        {error === "too_many_demos" && (
          <Notice tone="warn" title="No demo key at present" announce>
            Too many demo keys were created in the last hour, from your network or in total. Try again in an
            hour.{" "}
            <a href={paths.record()} className="link">
              The public record
            </a>{" "}
            is open to all.
          </Notice>
        )}
      </div>
      <div className="mt-6 divide-y overflow-hidden rounded-lg border bg-raised">
        <form method="post" action={paths.requestLink()} className="space-y-4 p-5 sm:p-6">
          {next && <input type="hidden" name="next" value={next} />}
          <TextInput
            label="E-mail"
            name="email"
            inputMode="email"
            // Not type="email": browsers refuse some addresses that mailboxes have.
            pattern="\s*\S+@\S+\s*"
            title="An e-mail address, such as you@example.com"
            autoCapitalize="none"
            required
            autoComplete="email"
            placeholder="you@example.com"
            hint="The address of your account, where our mails arrive. We send a link that works once."
            error={error === "email_malformed" ? "This is not an e-mail address." : undefined}
          />
          <Button type="submit" variant="primary" className="w-full">
            Send me a link
          </Button>
        </form>
        <form method="post" action={paths.signInByKey()} className="space-y-4 p-5 sm:p-6">
          {next && <input type="hidden" name="next" value={next} />}
          <TextInput
            label="API key"
            name="api_key"
            type="password"
            required
            autoComplete="current-password"
            spellCheck={false}
            placeholder="xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
            hint="The InpApiKey of your EA. You are signed out if this key is rotated or revoked."
          />
          <Button type="submit" className="w-full">
            Sign in with the key
          </Button>
        </form>
      </div>
    </>
  );
}
