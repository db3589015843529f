import { Search } from "lucide-react";
import type { Metadata } from "next";
import { z } from "zod";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { TextInput } from "@/app/_components/form/text-input";
import { PageHeader } from "@/app/_components/page-header";
import { deliveryEffectLabel } from "@/app/admin/_components/payment-labels";
import { SearchResultLine } from "@/app/admin/_components/search/search-result-line";
import { db } from "@/db/client";
import { MAX_RESULTS_PER_SEARCH, MAX_SEARCH_LENGTH, searchEverything } from "@/lib/admin/search";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import type { SearchParams } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Search" };

const Query = z.object({ q: z.string().max(MAX_SEARCH_LENGTH).catch("") });

/** The search as a form that works without JavaScript. */
export default async function SearchPage({ searchParams }: { searchParams: SearchParams }) {
  await requireAdminSession(adminPaths.search());
  const { q } = Query.parse(await searchParams);
  const found = await searchEverything(db(), q, deliveryEffectLabel);
  const mayHaveMorePeople = found.filter(({ kind }) => kind === "person").length === MAX_RESULTS_PER_SEARCH;
  return (
    <>
      <PageHeader
        title="Search"
        lead="Enter the beginning of any word of a name, address or page title, the beginning of a symbol or key, or a complete invoice number, ticket or request id."
      />
      <div className="space-y-6">
        <form method="get" action={adminPaths.search()} className="flex items-end gap-3">
          <TextInput
            label="Search for"
            name="q"
            type="search"
            defaultValue={q}
            maxLength={MAX_SEARCH_LENGTH}
            autoComplete="off"
            className="max-w-xl grow"
          />
          <Button type="submit">
            <Search aria-hidden="true" />
            Search
          </Button>
        </form>
        {q.trim() !== "" && (
          <Card title="Found" flush>
            {found.length === 0 ? (
              <EmptyState icon={Search} title="Nothing found">
                <a href={adminPaths.subscribers({ q })} className="link">
                  Search for part of a word in names, addresses and notes
                </a>
                . Requests with an unknown or revoked key are not stored: find their request ids in the log.
              </EmptyState>
            ) : (
              <ul className="divide-y">
                {found.map((one) => (
                  <li key={`${one.kind}${one.href}${one.title}${one.note}`}>
                    <a
                      href={one.href}
                      className="flex min-h-12 items-center gap-3 px-4 py-2 hover:bg-sunken/60 sm:px-6"
                    >
                      <SearchResultLine found={one} />
                    </a>
                  </li>
                ))}
                {mayHaveMorePeople && (
                  <li className="px-4 py-3 text-sm text-muted sm:px-6">
                    Only the newest {MAX_RESULTS_PER_SEARCH} subscribers are listed here.{" "}
                    <a href={adminPaths.subscribers({ q })} className="link">
                      All subscribers that match
                    </a>
                  </li>
                )}
              </ul>
            )}
          </Card>
        )}
      </div>
    </>
  );
}
