import type { SearchResult } from "@/lib/admin/search";
import { SearchResultLine } from "./search-result-line";

const KINDS = [
  "person",
  "key",
  "payment",
  "position",
  "request",
  "page",
] as const satisfies readonly SearchResult["kind"][];
const LIST_ID = "search-found";

/** The search dialog on every page: Ctrl K, or a click on the search link. `_browser/admin.ts` opens and fills it. */
export function SearchDialog() {
  return (
    <dialog
      data-search-dialog
      aria-label="Search"
      className="mx-auto mt-[12vh] w-[min(36rem,calc(100vw-2rem))] rounded-lg border bg-raised p-0 text-ink shadow-float"
    >
      <div className="p-3">
        <input
          type="search"
          role="combobox"
          aria-label="Search people, keys, payments, tickets, request ids, pages"
          aria-expanded={false}
          aria-controls={LIST_ID}
          placeholder="Name, address, key, invoice, ticket, page"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          className="h-11 w-full rounded-md border bg-paper px-3 text-base placeholder:text-faint"
        />
        <div id={LIST_ID} role="listbox" aria-label="Found" className="mt-2 max-h-[50vh] overflow-y-auto" />
        {KINDS.map((kind) => (
          <template key={kind} data-search-kind={kind}>
            {/* The focus stays in the field, and keys choose the result, so the links need no tab stop. */}
            <a
              role="option"
              aria-selected={false}
              tabIndex={-1}
              href="/"
              className="flex min-h-11 items-center gap-3 rounded-md px-3 py-1.5 aria-selected:bg-sunken"
            >
              <SearchResultLine found={{ kind, title: "", note: "" }} />
            </a>
          </template>
        ))}
        <p role="status" className="px-3 pt-2 text-xs text-muted">
          <span data-search-says="help">Up and down choose, Enter opens, Escape closes.</span>
          <span data-search-says="nothing" hidden>
            Nothing found. Press Enter for the full search.
          </span>
          <span data-search-says="failed" hidden>
            The search did not respond. Press Enter to open the search page.
          </span>
        </p>
      </div>
    </dialog>
  );
}
