import type { ReactNode } from "react";

/** The frame of the pages for an unknown address and for a failure. */
export function DeadEnd({
  status,
  title,
  children,
  actions,
}: {
  status: string;
  title: string;
  children: ReactNode;
  actions: ReactNode;
}) {
  return (
    <div className="mx-auto flex min-h-dvh max-w-2xl flex-col px-4 py-8 sm:px-6">
      <header>
        {/* A plain link: after a failure the page is loaded afresh. Without a name: a browser that lost the page knows none. */}
        <a href="/" className="inline-block py-1 font-semibold">
          Home
        </a>
      </header>
      <main className="flex flex-1 flex-col justify-center py-16">
        <p className="text-sm font-medium text-faint tabular-nums">{status}</p>
        <h1 className="mt-2 text-3xl tracking-[-0.025em]">{title}</h1>
        <div className="mt-4 max-w-[52ch] text-muted">{children}</div>
        <div className="mt-8 flex flex-wrap gap-3">{actions}</div>
      </main>
    </div>
  );
}
