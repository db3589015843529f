"use client";

import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names";
import { NavLink } from "./nav-link";
import { SkipLink } from "./skip-link";

export type ShellEntry = { href: string; label: string; icon: ReactNode; exact?: boolean };

/** Number of entries next to "More" in the bottom bar of a phone. */
const PHONE_ENTRIES = 4;

const sideLink =
  "flex h-9 items-center gap-2.5 rounded-md px-2.5 text-sm text-muted hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink [&_svg]:size-4 [&_svg]:text-faint aria-[current]:[&_svg]:text-accent";

const footLink =
  "flex h-14 flex-1 flex-col items-center justify-center gap-1 text-[0.6875rem] leading-none text-muted aria-[current]:font-medium aria-[current]:text-ink [&_svg]:size-5 aria-[current]:[&_svg]:text-accent";

/**
 * The frame of the portal and of the administrator's area: a sidebar on wide screens, a bottom bar on phones. `account`
 * is at the end of the navigation (name, sign-out, theme); `banner` is above the page (simulated market, maintenance).
 */
export function AppShell({
  area,
  logo,
  homeHref,
  entries,
  account,
  search,
  banner,
  children,
}: {
  area: string;
  logo: ReactNode;
  homeHref: string;
  entries: readonly ShellEntry[];
  account: ReactNode;
  /** Above the navigation, and in the header of a phone. */
  search?: ReactNode;
  banner?: ReactNode;
  children: ReactNode;
}) {
  const first = entries.length > PHONE_ENTRIES + 1 ? entries.slice(0, PHONE_ENTRIES) : entries;
  const more = entries.slice(first.length);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_1fr] print:block">
      <SkipLink />
      <aside className="hidden border-r lg:block">
        <div className="sticky top-0 flex h-dvh flex-col px-3 py-5">
          <a href={homeHref} className="px-2.5 pb-1">
            {logo}
          </a>
          <p className={classNames("px-2.5 text-xs text-faint", search ? "pb-3" : "pb-6")}>{area}</p>
          {search && <div className="pb-4">{search}</div>}
          <nav aria-label={area} className="flex-1 overflow-y-auto">
            <ul className="space-y-0.5">
              {entries.map((entry) => (
                <li key={entry.href}>
                  <NavLink href={entry.href} exact={entry.exact} className={sideLink}>
                    {entry.icon}
                    {entry.label}
                  </NavLink>
                </li>
              ))}
            </ul>
          </nav>
          <div className="border-t px-2.5 pt-4">{account}</div>
        </div>
      </aside>

      <header className="flex h-14 items-center justify-between border-b px-4 lg:hidden">
        <a href={homeHref} className="py-2">
          {logo}
        </a>
        <span className="inline-flex items-center gap-3 text-sm text-muted">
          {area}
          {search}
        </span>
      </header>

      <main
        id="main"
        tabIndex={-1}
        className="min-w-0 px-4 pt-6 pb-28 short:pb-8 outline-none sm:px-8 lg:px-10 lg:pt-10 lg:pb-16"
      >
        <div className="mx-auto max-w-6xl">
          {banner && <div className="mb-6">{banner}</div>}
          {children}
        </div>
      </main>

      <nav
        aria-label={`${area}, short`}
        className="stays-at-foot fixed short:static inset-x-0 bottom-0 z-30 flex border-t bg-raised pb-[env(safe-area-inset-bottom)] lg:hidden"
      >
        {first.map((entry) => (
          <NavLink key={entry.href} href={entry.href} exact={entry.exact} className={footLink}>
            {entry.icon}
            {entry.label}
          </NavLink>
        ))}
        <button type="button" popoverTarget="shell-more" className={footLink}>
          <Ellipsis aria-hidden="true" />
          More
        </button>
        <div
          id="shell-more"
          popover="auto"
          className="fixed inset-x-2 top-auto bottom-18 m-0 w-auto rounded-lg border bg-raised p-2 text-ink shadow-float"
        >
          {more.length > 0 && (
            <ul className="mb-2 border-b pb-2">
              {more.map((entry) => (
                <li key={entry.href}>
                  <NavLink href={entry.href} exact={entry.exact} className={`${sideLink} h-11 text-base`}>
                    {entry.icon}
                    {entry.label}
                  </NavLink>
                </li>
              ))}
            </ul>
          )}
          <div className="px-2.5 py-2">{account}</div>
        </div>
      </nav>
    </div>
  );
}
