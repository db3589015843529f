import type { LucideIcon } from "lucide-react";
import { LinkButton } from "./button";
import { EmptyState } from "./empty-state";
import { formatNumber, pluralize } from "./figures";

/** Shown instead of rows on a page beyond the last one: a list may have become shorter since the link was made. */
export function PageOutOfRange({
  icon,
  page,
  pageSize,
  total,
  href,
  noun,
  nouns,
}: {
  icon: LucideIcon;
  page: number;
  pageSize: number;
  total: number;
  /** The address of a page, counted from 1. */
  href: (page: number) => string;
  noun: string;
  /** The plural if it is not the noun with an s. */
  nouns?: string | undefined;
}) {
  return (
    <EmptyState
      icon={icon}
      title={`There is no page ${formatNumber(page)}`}
      actions={<LinkButton href={href(Math.ceil(total / pageSize))}>Last page</LinkButton>}
    >
      {`The list holds ${pluralize(total, noun, nouns)}.`}
    </EmptyState>
  );
}
