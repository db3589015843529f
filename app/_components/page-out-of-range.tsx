import type { LucideIcon } from "lucide-react";
import { LinkButton } from "./button";
import { EmptyState } from "./empty-state";
import { countWithNoun, formatNumber } from "./figures";

/**
 * Shown if the page number in the address is beyond the last page, because the list has become shorter since the link
 * was made.
 */
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
      {`The list holds ${countWithNoun(total, noun, nouns)}.`}
    </EmptyState>
  );
}
