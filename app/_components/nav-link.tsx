"use client";

import { useLinkStatus } from "next/link";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { Link } from "./link";

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
    <Link href={href} aria-current={current ? "page" : undefined} className={className}>
      {children}
      <PendingMark />
    </Link>
  );
}

/** A loading mark in a reserved place, so that nothing moves. */
function PendingMark() {
  const { pending } = useLinkStatus();
  return (
    <span aria-hidden="true" className="absolute size-1.5">
      {pending && <span className="block size-1.5 rounded-full bg-accent motion-safe:animate-pulse" />}
    </span>
  );
}
