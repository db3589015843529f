import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { PageOutOfRange } from "@/app/_components/page-out-of-range";
import { Pagination } from "@/app/_components/pagination";
import { isFiltered, type ListFilterValues, type ListQuery, PAGE_SIZES } from "./list-filter";
import { ListFilters } from "./list-filters";

/** A list that the database pages: its filters, one page of rows, and links to the other pages. */
export function PagedList<Row>({
  noun,
  nouns = `${noun}s`,
  caption,
  list: { filters, shown, page },
  address,
  columns,
  rows,
  rowKey,
  total,
  selection,
  empty,
}: {
  noun: string;
  /** The plural if it is not the noun with an s. */
  nouns?: string;
  caption: string;
  list: ListQuery;
  /** The address of the list with these values. */
  address: (values: ListFilterValues) => string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string | number;
  /** Number of rows on all pages. */
  total: number;
  /** Bulk actions: buttons that submit the list's form with the ticked rows. */
  selection?: ReactNode;
  /** Shown while the list without filters is empty. */
  empty: { icon: LucideIcon; title: string; text: string };
}) {
  const toPage = (number: number) => address({ ...shown, page: number });
  const nothing =
    total > 0 ? (
      <PageOutOfRange
        icon={empty.icon}
        page={page.number}
        pageSize={page.limit}
        total={total}
        href={toPage}
        noun={noun}
        nouns={nouns}
      />
    ) : isFiltered(filters, shown) ? (
      <EmptyState icon={empty.icon} title="Nothing matches">
        Change or clear the filter.
      </EmptyState>
    ) : (
      <EmptyState icon={empty.icon} title={empty.title}>
        {empty.text}
      </EmptyState>
    );
  const table = (
    <DataTable
      caption={caption}
      columns={columns}
      rows={rows}
      rowKey={rowKey}
      twoLines={columns.some(({ phone }) => phone !== undefined)}
      empty={nothing}
      footer={
        <Pagination
          page={page.number}
          pageSize={page.limit}
          total={total}
          noun={noun}
          nouns={nouns}
          href={toPage}
          sizes={PAGE_SIZES.map((size) => ({ size, href: address({ ...shown, size }) }))}
        />
      }
    />
  );
  return (
    <div className="space-y-6">
      <ListFilters label={`Filter ${nouns}`} filters={filters} shown={shown} address={address} />
      <Card flush>
        {selection && rows.length > 0 ? (
          <form method="get">
            <div className="flex flex-wrap items-center gap-2 border-b px-4 py-3 sm:px-6">{selection}</div>
            {table}
          </form>
        ) : (
          table
        )}
      </Card>
    </div>
  );
}
