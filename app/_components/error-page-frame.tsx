import type { ReactNode } from "react";
import { LogoMark } from "./logo-mark";

/** The frame of the not-found and error pages. */
export function ErrorPageFrame({
  status,
  title,
  logo = (
    // The root layout may have failed, so the configured name is not available here.
    <span className="flex items-center gap-2 font-semibold tracking-tight">
      <LogoMark tinted />
      Home
    </span>
  ),
  children,
  actions,
}: {
  status: string;
  title: string;
  logo?: ReactNode;
  children: ReactNode;
  actions: ReactNode;
}) {
  return (
    <div className="mx-auto flex min-h-dvh max-w-2xl flex-col px-4 sm:px-6">
      <header className="flex h-16 items-center">
        {/* A plain link: after an error the page must load from scratch. */}
        <a href="/" className="inline-block py-2">
          {logo}
        </a>
      </header>
      <main className="flex flex-1 flex-col justify-center pt-8 pb-24">
        <p className="text-sm font-medium text-faint tabular-nums">{status}</p>
        <h1 className="mt-2 text-3xl tracking-[-0.025em]">{title}</h1>
        <div className="mt-4 max-w-[52ch] text-muted">{children}</div>
        <div className="mt-8 flex flex-wrap gap-3">{actions}</div>
      </main>
    </div>
  );
}
