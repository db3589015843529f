import type { z } from "zod";
import type { SelectOption } from "@/app/_components/form/select";
import {
  choiceFilter,
  type ListPage,
  listPage,
  pageFilter,
  type SearchParams,
  textFilter,
} from "@/lib/wire/query-filter";

/** One value in the address of a list, and the field that sets it. */
export interface ListFilter<V extends string | number = string | number> {
  /** Reads it; what is not set or not understood is undefined. */
  reads: z.ZodType<V | undefined>;
  /** The field: a chooser where there are options ("Any" comes by itself), else a search. */
  field?: { label: string; options?: readonly SelectOption[]; placeholder?: string };
}

export type ListFilters = Record<string, ListFilter>;

/** What the address of a list says, as it was understood. */
export type Shown<F extends ListFilters = ListFilters> = {
  [N in keyof F]: F[N] extends ListFilter<infer V> ? V | undefined : never;
};

/** A search. */
export function search(placeholder: string, label = "Search"): ListFilter<string> {
  return { reads: textFilter(), field: { label, placeholder } };
}

/** A chooser among values that have words. */
export function choice<V extends string>(label: string, words: Readonly<Record<V, string>>): ListFilter<V> {
  const options = Object.entries<string>(words).map(([value, word]) => ({ value, label: word }));
  // The keys of the words are the values: Object.keys forgets that.
  return { reads: choiceFilter(Object.keys(words) as V[]), field: { label, options } };
}

/** What the address says besides: no field sets it, and a filter that is applied keeps it. */
export function kept<V extends string>(values: readonly V[]): ListFilter<V> {
  return { reads: choiceFilter(values) };
}

/** A list as its address asks for it. */
export interface AskedList<F extends ListFilters = ListFilters> {
  filters: F;
  shown: Shown<F>;
  page: ListPage;
}

const ROWS_PER_PAGE = 50;
/** Rows on a page that can be chosen. */
export const PAGE_SIZES = [25, 50, 100, 200] as const;
const SIZE = kept(PAGE_SIZES.map(String));

/** Reads the address of a list: its filters, its page and how many rows that has. */
export function readList<F extends ListFilters>(filters: F, given: Awaited<SearchParams>): AskedList<F> {
  const shown = Object.fromEntries(
    Object.entries({ ...filters, size: SIZE }).map(([name, { reads }]) => [name, reads.parse(given[name])]),
  );
  return {
    filters,
    // Each value was read by the filter of its name; the size goes along in every address of the list.
    shown: shown as Shown<F>,
    page: listPage(pageFilter.parse(given.page), Number(shown.size ?? ROWS_PER_PAGE)),
  };
}

/** Whether the address narrows the list. */
export function isFiltered(filters: ListFilters, shown: Shown): boolean {
  return Object.entries(filters).some(([name, { field }]) => field && shown[name] !== undefined);
}
