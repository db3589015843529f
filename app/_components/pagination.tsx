import { ChevronLeft, ChevronRight } from "lucide-react";
import { LinkButton } from "./button";
import { counted, formatNumber } from "./figures";

/** Earlier and later pages of a list. `href` builds the address of a page, counted from 1. */
export function Pagination({
  page,
  pageSize,
  total,
  href,
  noun = "row",
  nouns,
}: {
  page: number;
  pageSize: number;
  total: number;
  href: (page: number) => string;
  noun?: string;
  /** The plural, where it is not the noun with an s. */
  nouns?: string;
}) {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const first = total === 0 ? 0 : (page - 1) * pageSize + 1;
  const last = Math.min(total, page * pageSize);
  return (
    <nav aria-label="Pages" className="flex flex-wrap items-center justify-between gap-3 text-sm text-muted">
      <p className="tabular-nums">
        {pages > 1 && `${formatNumber(first)}–${formatNumber(last)} of `}
        {counted(total, noun, nouns)}
      </p>
      <div className="flex gap-2">
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
      </div>
    </nav>
  );
}
