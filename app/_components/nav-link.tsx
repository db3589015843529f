// Only Next's client components know the address while they are rendered on the server.
"use client";

import { usePathname } from "next/navigation";
import type { ReactNode } from "react";

/** True when the page at `pathname` belongs to the entry at `href`; `exact` entries match only their own page. */
export function isCurrentPage(pathname: string | null, href: string, exact = false): boolean {
  if (pathname === null) return false;
  return pathname === href || (!exact && pathname.startsWith(`${href}/`));
}

/** A navigation entry that is highlighted on its pages. */
export function NavLink({
  href,
  exact,
  className,
  children,
}: {
  href: string;
  exact?: boolean;
  className?: string;
  children: ReactNode;
}) {
  const current = isCurrentPage(usePathname(), href, exact);
  return (
    <a href={href} aria-current={current ? "page" : undefined} className={className}>
      {children}
    </a>
  );
}
