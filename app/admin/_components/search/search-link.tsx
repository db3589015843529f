import { Search } from "lucide-react";
import { adminPaths } from "@/lib/paths";

/** Opens the search dialog, or without JavaScript the search page. */
export function SearchLink() {
  return (
    <a
      href={adminPaths.search()}
      data-opens-search
      className="flex h-9 items-center gap-2.5 rounded-md border bg-paper px-2.5 text-sm text-muted hover:border-edge hover:text-ink [&_svg]:size-4"
    >
      <Search aria-hidden="true" />
      <span className="phone:sr-only">Search</span>
      <kbd className="ml-auto hidden text-xs text-faint lg:inline">Ctrl K</kbd>
    </a>
  );
}
