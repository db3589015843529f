import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { Logo } from "@/app/_components/logo";
import { SkipLink } from "@/app/_components/skip-link";
import { parseTheme, THEME_COOKIE } from "@/app/_components/theme";
import { ThemeSwitch } from "@/app/_components/theme-switch";
import { paths } from "@/lib/paths";

export const metadata = { robots: { index: false } };

/** The frame of the sign-in pages: one column with a form. */
export default async function LoginLayout({ children }: { children: ReactNode }) {
  const theme = parseTheme((await cookies()).get(THEME_COOKIE)?.value);
  return (
    <div className="flex min-h-dvh flex-col px-4 sm:px-8">
      <SkipLink />
      <header className="flex h-16 items-center justify-between">
        <a href={paths.home()} className="py-2">
          <Logo />
        </a>
        <a href={paths.docs()} className="inline-flex h-11 items-center text-sm text-muted hover:text-ink">
          Documentation
        </a>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto flex w-full max-w-md flex-1 flex-col justify-center py-10 outline-none"
      >
        {children}
      </main>
      <footer className="flex h-16 items-center justify-between text-xs text-faint">
        <span>Signals are statistics, not advice.</span>
        <ThemeSwitch theme={theme} />
      </footer>
    </div>
  );
}
