import { Search } from "lucide-react";
import { Link } from "@/app/_components/link";
import { adminPaths } from "@/lib/paths";
import { OPENS_SEARCH } from "./opens-search";

/** Opens the search dialog, or without JavaScript the search page. */
export function SearchLink() {
  return (
    <Link
      href={adminPaths.search()}
      {...{ [OPENS_SEARCH]: "" }}
      className="flex h-9 items-center gap-2.5 rounded-md border bg-paper px-2.5 text-sm text-muted hover:border-edge hover:text-ink [&_svg]:size-4"
    >
      <Search aria-hidden="true" />
      <span className="phone:sr-only">Search</span>
      <kbd className="ml-auto hidden text-xs text-faint lg:inline">Ctrl K</kbd>
    </Link>
  );
}
