import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select } from "@/app/_components/form/select";
import { formatPeriod, RECORD_PERIODS, type RecordPageQuery, SLOT_SORT_ORDERS } from "./record-page-query";

const ANY = { value: "", label: "All" };
const optionsOf = (values: readonly string[], chosen: string | undefined) => [
  ANY,
  ...[...new Set([...values, ...(chosen ? [chosen] : [])])].map((value) => ({ value, label: value })),
];

/** The filters of a page of the record. A filter without its options is not shown. */
export function RecordFilters({
  action,
  shown,
  symbols,
  timeframes,
  models,
  sortable = false,
}: {
  /** The page's own address without a query. */
  action: string;
  shown: RecordPageQuery;
  symbols?: readonly string[];
  timeframes?: readonly string[];
  models: readonly string[];
  sortable?: boolean;
}) {
  const { symbol, tf, model, period, sort } = shown;
  const isSet =
    (symbols && symbol) || (timeframes && tf) || model || period || (sortable && (sort || shown.order));
  const months = period?.includes("-") ? [{ value: period, label: formatPeriod(period) }] : [];
  return (
    <FilterBar action={action} {...(isSet && { resetHref: action })}>
      {symbols && (
        <Select
          name="symbol"
          label="Symbol"
          defaultValue={symbol?.toUpperCase() ?? ""}
          options={optionsOf(symbols, symbol?.toUpperCase())}
        />
      )}
      {timeframes && (
        <Select
          name="tf"
          label="Timeframe"
          defaultValue={tf?.toUpperCase() ?? ""}
          options={optionsOf(timeframes, tf?.toUpperCase())}
        />
      )}
      <Select name="model" label="Model" defaultValue={model ?? ""} options={optionsOf(models, model)} />
      <Select
        name="period"
        label="Period"
        defaultValue={period ?? ""}
        options={[
          { value: "", label: formatPeriod(undefined) },
          ...months,
          ...Object.entries(RECORD_PERIODS).map(([value, label]) => ({ value, label })),
        ]}
      />
      {sortable && (
        <Select
          name="sort"
          label="Order by"
          defaultValue={sort ?? ""}
          options={Object.entries(SLOT_SORT_ORDERS).map(([value, { words }]) => ({
            value: value === "slot" ? "" : value,
            label: words,
          }))}
        />
      )}
    </FilterBar>
  );
}
