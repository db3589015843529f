import { IdCard, LogIn, Mail } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Button, buttonClass } from "@/app/_components/button";
import { classNames } from "@/app/_components/class-names";
import { TextInput } from "@/app/_components/form/text-input";
import { Logo } from "@/app/_components/logo";
import { Notice } from "@/app/_components/notice";
import { OutboxNotice } from "@/app/_components/outbox-notice";
import { db } from "@/db/client";
import { hasOwner } from "@/db/queries/setup-progress";
import { currentAdmin } from "@/lib/auth/require-admin-session";
import { adminPaths, paths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";

export const metadata: Metadata = { title: "Administrator sign-in", robots: { index: false } };

const REASONS: Record<string, { tone: "info" | "danger"; title: string; text: string }> = {
  sent: {
    tone: "info",
    title: "Check your mail",
    text: "If the address is an administrator's, a link is on its way. It works once, for ten minutes.",
  },
  link: {
    tone: "danger",
    title: "That link no longer works",
    text: "A link works once, for ten minutes and five codes. Ask for a new one.",
  },
  oidc: {
    tone: "danger",
    title: "The identity provider did not sign you in",
    text: "It does not answer, or its answer was refused; the log says why. Try again, or ask for a link by mail.",
  },
  "oidc-person": {
    tone: "danger",
    title: "The identity provider confirmed no administrator",
    text: "It has to confirm the e-mail address that an owner invited.",
  },
  ended: {
    tone: "info",
    title: "Your session has ended",
    text: "It ends after 30 minutes without activity, and after 12 hours in any case. If you sent a form just now, it was not saved.",
  },
  wrong: { tone: "danger", title: "That is not the administrator secret", text: "You are not signed in." },
  wait: {
    tone: "danger",
    title: "Too many failures from your address",
    text: "Wait a minute, then try again.",
  },
};

export default async function AdminSignIn({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  if (await currentAdmin()) redirect(adminPaths.overview());
  const { next, reason } = await searchParams;
  const said = typeof reason === "string" ? REASONS[reason] : undefined;
  return (
    <main id="main" className="grid min-h-dvh place-items-center px-4 py-12">
      <div className="w-full max-w-sm">
        <a href={paths.home()} className="inline-block">
          <Logo />
        </a>
        <h1 className="mt-10 text-2xl">Administrator</h1>
        {said && (
          <div className="mt-6">
            <Notice tone={said.tone} title={said.title} announce>
              {said.text}
            </Notice>
          </div>
        )}
        {reason === "sent" && (
          <div className="mt-3">
            <OutboxNotice />
          </div>
        )}
        <SignInForms
          next={typeof next === "string" ? next : adminPaths.overview()}
          secretFirst={!(await hasOwner(db()))}
        />
        <p className="mt-8 text-sm text-faint">Every action is recorded with its time and network address.</p>
      </div>
    </main>
  );
}

/**
 * The forms to sign in as a person (by the identity provider or a mailed link) and by the secret. The secret comes
 * first until an owner exists.
 */
function SignInForms({ next, secretFirst }: { next: string; secretFirst: boolean }) {
  const { oidc } = env();
  return secretFirst ? (
    <>
      <SecretForm next={next} isFirst />
      {oidc && <ProviderLink issuer={oidc.issuer} />}
      <div className="mt-10 border-t pt-6">
        <h2 className="text-base">By mail</h2>
        <p className="mt-1 text-sm text-muted">For administrators who were invited.</p>
        <MailForm />
      </div>
    </>
  ) : (
    <>
      {oidc && <ProviderLink issuer={oidc.issuer} isFirst />}
      <MailForm isFirst={oidc === null} />
      <div className="mt-10 border-t pt-6">
        <h2 className="text-base">With the secret of the installation</h2>
        <p className="mt-1 text-sm text-muted">For emergencies. Every owner gets a mail.</p>
        <SecretForm next={next} />
      </div>
    </>
  );
}

/** A plain link: the router must not fetch the identity provider's page. */
function ProviderLink({ issuer, isFirst = false }: { issuer: string; isFirst?: boolean }) {
  return (
    <div className="mt-6">
      <a
        href={adminPaths.signInByOidc()}
        className={classNames(buttonClass(isFirst ? "primary" : "secondary"), "w-full")}
      >
        <IdCard aria-hidden="true" />
        Sign in by {new URL(issuer).hostname}
      </a>
      <p className="mt-1.5 text-sm text-muted">Afterwards we ask for a code from your authenticator.</p>
    </div>
  );
}

function MailForm({ isFirst = false }: { isFirst?: boolean }) {
  return (
    <form method="post" action={adminPaths.requestSignInLink()} className="mt-6 space-y-5">
      <TextInput
        label="Your e-mail address"
        name="email"
        inputMode="email"
        autoCapitalize="none"
        autoComplete="username"
        required
        maxLength={254}
        hint="You get a link by mail. When you open it, we ask for a code from your authenticator."
      />
      <Button type="submit" {...(isFirst ? { variant: "primary" as const } : {})} className="w-full">
        <Mail aria-hidden="true" />
        Send me a link
      </Button>
    </form>
  );
}

function SecretForm({ next, isFirst = false }: { next: string; isFirst?: boolean }) {
  return (
    <form method="post" action={adminPaths.signInForm()} className="mt-4 space-y-5">
      <input type="hidden" name="next" value={next} />
      <TextInput
        label="Administrator secret"
        name="secret"
        type="password"
        autoComplete="current-password"
        required
        maxLength={512}
        spellCheck={false}
        hint={
          <>
            <code className="font-mono">ADMIN_SECRET</code>, or the generated one in{" "}
            <code className="font-mono">secrets.json</code> of the data directory.
          </>
        }
      />
      <Button type="submit" {...(isFirst ? { variant: "primary" as const } : {})} className="w-full">
        <LogIn aria-hidden="true" />
        Sign in
      </Button>
    </form>
  );
}
