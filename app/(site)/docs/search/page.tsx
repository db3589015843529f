import { connection } from "next/server";
import { countWithNoun } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { searchDocs } from "@/app/(site)/docs/_text/search";
import type { SearchParams } from "@/lib/wire/query-filter";

export const metadata = { title: "Search the documentation", robots: { index: false } };

/** Search results of the documentation. */
export default async function SearchPage({ searchParams }: { searchParams: SearchParams }) {
  await connection();
  const { q } = await searchParams;
  const query = typeof q === "string" ? q.trim() : "";
  const hits = searchDocs(query);
  return (
    <>
      <PageHeader
        title={query === "" ? "Search the documentation" : `Search: ${query}`}
        lead={query === "" ? "Type a word, a path or an error code above." : undefined}
      />
      {query !== "" && (
        <div data-docs-results="" className="max-w-[68ch]">
          <p role="status" className="px-3 py-1.5 text-sm text-muted">
            {hits.length === 0 ? `No results for “${query}”.` : countWithNoun(hits.length, "result")}
          </p>
          <ul>
            {hits.map((hit) => (
              <li key={hit.href}>
                <a
                  href={hit.href}
                  className="block rounded-md px-3 py-2 hover:bg-sunken focus-visible:bg-sunken"
                >
                  <span className="flex flex-wrap items-baseline gap-x-2 text-sm">
                    <span className="font-medium break-words">{hit.title}</span>
                    <span className="text-xs text-muted">{hit.page}</span>
                  </span>
                  <span className="mt-0.5 block text-sm break-words text-muted">{hit.excerpt}</span>
                </a>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
