import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from "lucide-react";
import { LinkButton } from "./button";
import { countWithNoun, formatNumber } from "./figures";

/** Links to the pages of a list. `href` builds the address of a page, counted from 1. */
export function Pagination({
  page,
  pageSize,
  total,
  href,
  sizes = [],
  noun = "row",
  nouns,
}: {
  page: number;
  pageSize: number;
  total: number;
  href: (page: number) => string;
  /** Offered page sizes, each with its address. */
  sizes?: readonly { size: number; href: string }[];
  noun?: string;
  /** The plural if it is not the noun with an s. */
  nouns?: string;
}) {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const first = total === 0 ? 0 : (page - 1) * pageSize + 1;
  const last = Math.min(total, page * pageSize);
  return (
    <nav aria-label="Pages" className="flex flex-wrap items-center justify-between gap-3 text-sm text-muted">
      <p className="tabular-nums">
        {pages > 1 && `${formatNumber(first)}–${formatNumber(last)} of `}
        {countWithNoun(total, noun, nouns)}
      </p>
      {total > Math.min(...sizes.map(({ size }) => size)) && (
        <p className="flex items-center gap-1">
          <span>Per page</span>
          {sizes.map(({ size, href: to }) => (
            <a
              key={size}
              href={to}
              aria-current={size === pageSize ? "true" : undefined}
              aria-label={`${size} per page`}
              className="inline-flex h-7 min-w-7 items-center justify-center rounded-md border border-transparent px-1.5 text-xs hover:bg-sunken hover:text-ink aria-[current]:border-line aria-[current]:bg-sunken aria-[current]:text-ink"
            >
              {size}
            </a>
          ))}
        </p>
      )}
      <div className="flex gap-2">
        {page > 2 && (
          <LinkButton href={href(1)} size="small">
            <ChevronsLeft aria-hidden="true" />
            First
          </LinkButton>
        )}
        {page > 1 && (
          <LinkButton href={href(page - 1)} size="small">
            <ChevronLeft aria-hidden="true" />
            Previous
          </LinkButton>
        )}
        {page < pages && (
          <LinkButton href={href(page + 1)} size="small">
            Next
            <ChevronRight aria-hidden="true" />
          </LinkButton>
        )}
        {page < pages - 1 && (
          <LinkButton href={href(pages)} size="small">
            Last
            <ChevronsRight aria-hidden="true" />
          </LinkButton>
        )}
      </div>
    </nav>
  );
}
