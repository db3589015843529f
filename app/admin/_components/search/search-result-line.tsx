import { CreditCard, FileText, KeyRound, ListChecks, type LucideIcon, ScrollText, User } from "lucide-react";
import type { SearchResult } from "@/lib/admin/search";

const ICON: Record<SearchResult["kind"], LucideIcon> = {
  person: User,
  key: KeyRound,
  payment: CreditCard,
  position: ListChecks,
  request: ScrollText,
  page: FileText,
};

/** A search result. */
export function SearchResultLine({ found: { kind, title, note } }: { found: Omit<SearchResult, "href"> }) {
  const Icon = ICON[kind];
  return (
    <>
      <Icon aria-hidden="true" className="size-4 shrink-0 text-faint" />
      <span className="min-w-0 flex-1">
        <span className="sr-only">{kind}: </span>
        <span dir="auto" data-search-title className="block truncate text-left font-medium">
          {title}
        </span>
        <span data-search-note className="block truncate text-xs text-muted">
          {note}
        </span>
      </span>
    </>
  );
}
