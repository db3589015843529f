import { LogIn } from "lucide-react";
import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { Button } from "@/app/_components/button";
import { TextInput } from "@/app/_components/form/text-input";
import { Link } from "@/app/_components/link";
import { Logo } from "@/app/_components/logo";
import { Notice } from "@/app/_components/notice";
import { isAdminSignedIn } from "@/lib/auth/require-admin-session";
import { adminPaths, paths } from "@/lib/paths";

export const metadata: Metadata = { title: "Administrator sign-in", robots: { index: false } };

const REASONS: Record<string, { tone: "info" | "danger"; title: string; text: string }> = {
  ended: {
    tone: "info",
    title: "Your session has ended",
    text: "It ends after 30 minutes without a page and after 12 hours in any case. What you sent last was not done.",
  },
  wrong: { tone: "danger", title: "That is not the administrator secret", text: "Nobody was signed in." },
  wait: {
    tone: "danger",
    title: "Too many failures from your address",
    text: "Wait a minute, then try again. Until then the secret is not even compared.",
  },
};

/** Sign-in of the administrator. */
export default async function AdminSignIn({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  if (await isAdminSignedIn()) redirect(adminPaths.overview());
  const { next, reason } = await searchParams;
  const said = typeof reason === "string" ? REASONS[reason] : undefined;
  return (
    <main id="main" className="grid min-h-dvh place-items-center px-4 py-12">
      <div className="w-full max-w-sm">
        <Link href={paths.home()} className="inline-block">
          <Logo />
        </Link>
        <h1 className="mt-10 text-2xl">Administrator</h1>
        <p className="mt-2 text-muted">Sign in with the administrator secret of this installation.</p>
        {said && (
          <div className="mt-6">
            <Notice tone={said.tone} title={said.title} announce>
              {said.text}
            </Notice>
          </div>
        )}
        <form method="post" action={adminPaths.signInForm()} className="mt-6 space-y-5">
          <input type="hidden" name="next" value={typeof next === "string" ? next : adminPaths.overview()} />
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
          <Button type="submit" variant="primary" className="w-full">
            <LogIn aria-hidden="true" />
            Sign in
          </Button>
        </form>
        <p className="mt-8 text-sm text-faint">Every action is recorded with its time and network address.</p>
      </div>
    </main>
  );
}
