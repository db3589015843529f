"use client";

import type { ReactNode } from "react";
import type { NavEntry } from "./site-header";

export type FooterGroup = { title: string; entries: readonly NavEntry[] };

/** The footer of the public site: links, the risk statement, the theme switch. */
export function SiteFooter({
  logo,
  groups,
  risk,
  children,
}: {
  logo: ReactNode;
  groups: readonly FooterGroup[];
  risk: string;
  children?: ReactNode;
}) {
  return (
    <footer className="mt-24 border-t bg-sunken/40">
      <div className="mx-auto grid max-w-6xl gap-10 px-4 py-12 sm:px-6 md:grid-cols-[1fr_auto]">
        <div className="max-w-md">
          {logo}
          <p className="mt-4 text-sm text-muted">{risk}</p>
          {children && <div className="mt-6">{children}</div>}
        </div>
        <div className="grid grid-cols-2 gap-x-12 gap-y-8 sm:grid-cols-4">
          {groups.map((group) => (
            <nav key={group.title} aria-label={group.title}>
              <h2 className="text-sm font-medium tracking-normal">{group.title}</h2>
              <ul className="mt-2">
                {group.entries.map((entry) => (
                  <li key={entry.href}>
                    <a href={entry.href} className="inline-block py-1 text-sm text-muted hover:text-ink">
                      {entry.label}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
          ))}
        </div>
      </div>
    </footer>
  );
}
