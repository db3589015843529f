import type { z } from "zod";
import type { SelectOption } from "@/app/_components/form/select";
import {
  choiceFilter,
  type ListPage,
  pageNumberFilter,
  type SearchParams,
  textFilter,
  toListPage,
} from "@/lib/wire/query-filter";

/** A query parameter of a list, and the field that sets it. */
export interface ListFilter<V extends string | number = string | number> {
  /** Parses the parameter's value; a missing or invalid one becomes undefined. */
  reads: z.ZodType<V | undefined>;
  /** The field: a select if there are options ("Any" is added), else a search field. */
  field?: { label: string; options?: readonly SelectOption[]; placeholder?: string };
}

export type ListFilterSet = Record<string, ListFilter>;

/** The parsed query of a list. */
export type ListFilterValues<F extends ListFilterSet = ListFilterSet> = {
  [N in keyof F]: F[N] extends ListFilter<infer V> ? V | undefined : never;
};

/** A filter that is a search field. */
export function searchFilter(placeholder: string, label = "Search"): ListFilter<string> {
  return { reads: textFilter(), field: { label, placeholder } };
}

/** A filter that is a select, with a label for each value. */
export function selectFilter<V extends string>(
  label: string,
  words: Readonly<Record<V, string>>,
): ListFilter<V> {
  const options = Object.entries<string>(words).map(([value, word]) => ({ value, label: word }));
  // `Object.keys` returns `string[]`; the keys of the labels are the values.
  return { reads: choiceFilter(Object.keys(words) as V[]), field: { label, options } };
}

/** A parameter that has no field, such as the page size. Applying the filters keeps it. */
export function hiddenFilter<V extends string>(values: readonly V[]): ListFilter<V> {
  return { reads: choiceFilter(values) };
}

/** The parsed address of a list. */
export interface ListQuery<F extends ListFilterSet = ListFilterSet> {
  filters: F;
  shown: ListFilterValues<F>;
  page: ListPage;
}

const ROWS_PER_PAGE = 50;
/** Offered page sizes. */
export const PAGE_SIZES = [25, 50, 100, 200] as const;
const SIZE = hiddenFilter(PAGE_SIZES.map(String));

/** Parses the address of a list: its filters, its page and its page size. */
export function parseListQuery<F extends ListFilterSet>(
  filters: F,
  given: Awaited<SearchParams>,
): ListQuery<F> {
  const shown = Object.fromEntries(
    Object.entries({ ...filters, size: SIZE }).map(([name, { reads }]) => [name, reads.parse(given[name])]),
  );
  return {
    filters,
    // The schema of each filter parsed its value. The page size is preserved in every link of the list.
    shown: shown as ListFilterValues<F>,
    page: toListPage(pageNumberFilter.parse(given.page), Number(shown.size ?? ROWS_PER_PAGE)),
  };
}

/** Whether a filter that has a field is set. */
export function isFiltered(filters: ListFilterSet, shown: ListFilterValues): boolean {
  return Object.entries(filters).some(([name, { field }]) => field && shown[name] !== undefined);
}
