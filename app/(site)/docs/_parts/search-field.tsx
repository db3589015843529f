import { Search } from "lucide-react";
import { paths } from "@/lib/paths";

/**
 * Searches the documentation. `public/enhance.js` shows results during typing; without JavaScript the form opens the
 * search page.
 */
export function SearchField() {
  return (
    <search>
      <form
        action={paths.docsSearch()}
        method="get"
        data-docs-search=""
        className="relative mb-8 max-w-[68ch]"
      >
        <label className="flex h-11 items-center gap-2.5 rounded-md border bg-raised px-3.5 text-sm focus-within:border-edge has-focus-visible:outline-2">
          <Search aria-hidden="true" className="size-4 shrink-0 text-faint" />
          <span className="sr-only">Search the documentation</span>
          <input
            type="search"
            name="q"
            maxLength={100}
            autoComplete="off"
            placeholder="Search the documentation"
            className="h-full min-w-0 flex-1 bg-transparent outline-none placeholder:text-muted"
          />
          <span
            aria-hidden="true"
            className="hidden rounded-sm border bg-sunken px-1.5 py-0.5 font-mono text-xs text-muted sm:block"
          >
            /
          </span>
        </label>
        <div
          data-docs-found=""
          hidden
          className="absolute inset-x-0 top-full z-20 mt-1 max-h-[min(28rem,70vh)] overflow-y-auto rounded-lg border bg-raised p-2 shadow-float"
        />
      </form>
    </search>
  );
}
