import { LogIn } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Button } from "@/app/_components/button";
import { TextInput } from "@/app/_components/form/text-input";
import { Logo } from "@/app/_components/logo";
import { Notice } from "@/app/_components/notice";
import { QrCode } from "@/app/_components/qr-code";
import { db } from "@/db/client";
import { readAdminLink } from "@/lib/access/people/administrators";
import { adminPaths, paths } from "@/lib/paths";

export const metadata: Metadata = { title: "Administrator sign-in", robots: { index: false } };

/** The page of a mailed link: the field for the code, and for an invitation the secret for the authenticator. */
export default async function AdminLink({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { token, tries, locked } = await searchParams;
  const opened = typeof token === "string" ? await readAdminLink(db(), token) : null;
  if (!opened || typeof token !== "string") redirect(adminPaths.signIn({ reason: "link" }));
  const { name, authenticator } = opened;
  return (
    <main id="main" className="grid min-h-dvh place-items-center px-4 py-12">
      <div className="w-full max-w-sm">
        <a href={paths.home()} className="inline-block">
          <Logo />
        </a>
        <h1 className="mt-10 text-2xl">{authenticator ? `Welcome, ${name}` : "Administrator"}</h1>
        {tries && (
          <div className="mt-6">
            {locked ? (
              <Notice tone="danger" title="Too many wrong codes" announce>
                Codes of your authenticator are refused for a day, and the owners were mailed. A recovery code
                still works. {tries} more on this link.
              </Notice>
            ) : (
              <Notice tone="danger" title="That code is wrong" announce>
                A code works once and for 30 seconds. {tries} more on this link.
              </Notice>
            )}
          </div>
        )}
        {authenticator && (
          <div className="mt-6 space-y-3">
            <p className="text-muted">
              Scan this with an authenticator app, or type the secret in. It is shown here only until you have
              accepted.
            </p>
            <QrCode text={authenticator.uri} label="The secret for your authenticator as a QR code" />
            <p className="rounded-md border bg-sunken p-3 font-mono text-sm">
              {authenticator.secret.match(/.{1,4}/g)?.join(" ")}
            </p>
            <a href={authenticator.uri} className="link text-sm">
              Open in an authenticator on this device
            </a>
          </div>
        )}
        <form method="post" action={adminPaths.confirmSignInLink()} className="mt-6 space-y-5">
          <input type="hidden" name="token" value={token} />
          <TextInput
            label="Code of your authenticator"
            name="code"
            autoComplete="one-time-code"
            required
            maxLength={40}
            spellCheck={false}
            hint={
              authenticator
                ? "The six digits it shows now."
                : "The six digits it shows now, or a recovery code."
            }
          />
          <Button type="submit" variant="primary" className="w-full">
            <LogIn aria-hidden="true" />
            {authenticator ? "Accept and sign in" : "Sign in"}
          </Button>
        </form>
      </div>
    </main>
  );
}
