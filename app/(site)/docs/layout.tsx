import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { NavLink } from "@/app/_components/nav-link";
import { SearchField } from "./_parts/search-field";
import { listDocs } from "./_text/files";

/** The documentation: the table of contents on the left, on a phone collapsed above the text. */
export default function DocsLayout({ children }: { children: ReactNode }) {
  const pages = listDocs();
  const groups = [...new Set(pages.map(({ group }) => group))];
  const contents = groups.map((title) => (
    <div key={title}>
      <h2 className="text-xs font-medium tracking-normal text-faint">{title}</h2>
      <ul className="mt-1.5">
        {pages
          .filter(({ group }) => group === title)
          .map((entry) => (
            <li key={entry.href}>
              <NavLink
                href={entry.href}
                exact={entry.name === "index"}
                className="-mx-2.5 flex min-h-8 items-center rounded-md px-2.5 text-sm text-muted hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
              >
                {entry.label}
              </NavLink>
            </li>
          ))}
      </ul>
    </div>
  ));
  return (
    <div className="mx-auto max-w-6xl gap-16 px-4 py-8 sm:px-6 lg:grid lg:grid-cols-[11rem_1fr] lg:py-14">
      <nav aria-label="Contents" className="hidden lg:block">
        <div className="sticky top-28 space-y-6">{contents}</div>
      </nav>
      <details className="mb-8 rounded-lg border bg-raised lg:hidden">
        <summary className="flex min-h-11 list-none items-center justify-between px-4 text-sm font-medium">
          Contents
          <ChevronDown aria-hidden="true" className="size-4 text-faint" />
        </summary>
        <nav aria-label="Contents, short" className="space-y-5 border-t px-4 py-4">
          {contents}
        </nav>
      </details>
      <div className="min-w-0">
        <SearchField />
        {children}
      </div>
    </div>
  );
}
