"use client";

import { Menu } from "lucide-react";
import type { ReactNode } from "react";
import { buttonClass } from "./button";
import { NavLink } from "./nav-link";

export type NavEntry = { href: string; label: string };

/** The header of the public site. On a phone the entries are behind one button. */
export function SiteHeader({
  home,
  logo,
  entries,
  signIn,
}: {
  /** The link of the logo. */
  home: NavEntry;
  logo: ReactNode;
  entries: readonly NavEntry[];
  signIn: NavEntry;
}) {
  return (
    <header className="stays-on-top sticky top-0 z-30 border-b bg-paper/92 backdrop-blur-sm">
      <div className="mx-auto flex h-16 max-w-6xl items-center gap-8 px-4 sm:px-6">
        <a href={home.href} aria-label={home.label} className="py-2">
          {logo}
        </a>
        <nav aria-label="Site" className="hidden gap-6 text-sm md:flex">
          {entries.map((entry) => (
            <NavLink
              key={entry.href}
              href={entry.href}
              className="py-2 text-muted hover:text-ink aria-[current]:text-ink"
            >
              {entry.label}
            </NavLink>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-2">
          <a href={signIn.href} className={buttonClass("secondary", "small")}>
            {signIn.label}
          </a>
          <button
            type="button"
            popoverTarget="site-menu"
            aria-label="Menu"
            className={`${buttonClass("quiet", "small")} md:hidden`}
          >
            <Menu aria-hidden="true" />
          </button>
        </div>
      </div>
      <nav
        id="site-menu"
        popover="auto"
        aria-label="Site menu"
        className="fixed inset-x-4 top-18 m-0 w-auto rounded-lg border bg-raised p-2 text-ink shadow-float"
      >
        <ul>
          {entries.map((entry) => (
            <li key={entry.href}>
              <NavLink
                href={entry.href}
                className="flex h-11 items-center rounded-md px-3 hover:bg-sunken aria-[current]:font-semibold"
              >
                {entry.label}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}
