import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select } from "@/app/_components/form/select";
import type { ExecutionQuery } from "@/lib/executions/execution-filter";
import { compareTimeframeCodes } from "@/lib/market/timeframes";
import { paths } from "@/lib/paths";
import { CurrencyFilter } from "./currency-filter";

export const RESULT_PERIODS = [
  { value: "", label: "All time" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "A year" },
] as const;

/** Filters of the positions behind the results. */
export function ResultFilters({
  query,
  values: { symbols, timeframes, currencies },
  isSet,
}: {
  query: ExecutionQuery;
  values: { symbols: readonly string[]; timeframes: readonly string[]; currencies: readonly string[] };
  isSet: boolean;
}) {
  return (
    <FilterBar action={paths.portalResults()} resetHref={isSet ? paths.portalResults() : undefined}>
      <Select label="Opened within" name="days" defaultValue={query.days ?? ""} options={RESULT_PERIODS} />
      <Select
        label="Symbol"
        name="symbol"
        defaultValue={query.symbol ?? ""}
        options={[{ value: "", label: "All symbols" }, ...symbols.map((value) => ({ value, label: value }))]}
      />
      <Select
        label="Timeframe"
        name="timeframe"
        defaultValue={query.timeframe ?? ""}
        options={[
          { value: "", label: "All" },
          ...timeframes.toSorted(compareTimeframeCodes).map((value) => ({ value, label: value })),
        ]}
      />
      <CurrencyFilter currencies={currencies} chosen={query.currency} />
    </FilterBar>
  );
}
