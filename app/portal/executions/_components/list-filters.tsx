import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { type ExecutionQuery, HOUR_CHOICES } from "@/lib/executions/execution-filter";
import { compareTimeframeCodes } from "@/lib/market/timeframes";
import { paths } from "@/lib/paths";
import { SIDES } from "@/lib/vocabulary";
import { CurrencyFilter } from "./currency-filter";

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

/** Filters of the list; they preserve the order. */
export function ExecutionListFilters({
  query,
  values,
  isSet,
  clockName,
}: {
  query: ExecutionQuery;
  values: {
    symbols: readonly string[];
    timeframes: readonly string[];
    results: readonly string[];
    currencies: readonly string[];
  };
  isSet: boolean;
  /** The clock that days refer to. */
  clockName: string;
}) {
  const choice = (word: string, codes: readonly string[]) => [
    { value: "", label: word },
    ...codes.map((code) => ({ value: code, label: code })),
  ];
  const order = { sort: query.sort, dir: query.dir };
  return (
    <FilterBar
      action={paths.portalExecutionList()}
      resetHref={isSet ? paths.portalExecutionList(order) : undefined}
    >
      {query.sort && <input type="hidden" name="sort" value={query.sort} />}
      {query.dir && <input type="hidden" name="dir" value={query.dir} />}
      {query.terminal && <input type="hidden" name="terminal" value={query.terminal} />}
      <Select
        label="Symbol"
        name="symbol"
        defaultValue={query.symbol ?? ""}
        options={choice("All symbols", values.symbols)}
      />
      <Select
        label="Timeframe"
        name="timeframe"
        defaultValue={query.timeframe ?? ""}
        options={choice("All", values.timeframes.toSorted(compareTimeframeCodes))}
      />
      <Select
        label="Direction"
        name="signal"
        defaultValue={query.signal ?? ""}
        options={choice("Both", SIDES)}
      />
      <Select
        label="State"
        name="state"
        defaultValue={query.state ?? ""}
        options={[
          { value: "", label: "Any" },
          { value: "open", label: "Open" },
          { value: "closed", label: "Closed" },
        ]}
      />
      <Select
        label="Outcome"
        name="outcome"
        defaultValue={query.outcome ?? ""}
        options={[
          { value: "", label: "Any" },
          { value: "win", label: "Won" },
          { value: "loss", label: "Lost" },
        ]}
      />
      <Select
        label="Result"
        name="result"
        defaultValue={query.result ?? ""}
        options={choice("Any", values.results)}
      />
      <CurrencyFilter currencies={values.currencies} chosen={query.currency} anyLabel="Any" />
      {query.closed_on && (
        <TextInput
          label={`Day of the close, ${clockName}`}
          name="closed_on"
          type="date"
          defaultValue={query.closed_on}
        />
      )}
      {query.closed_weekday && (
        <Select
          label={`Weekday of the close, ${clockName}`}
          name="closed_weekday"
          defaultValue={query.closed_weekday}
          options={[
            { value: "", label: "Any day" },
            ...WEEKDAYS.map((label, index) => ({ value: String(index + 1), label })),
          ]}
        />
      )}
      {query.closed_hour && (
        <Select
          label={`Hour of the close, ${clockName}`}
          name="closed_hour"
          defaultValue={query.closed_hour}
          options={[
            { value: "", label: "Any hour" },
            ...HOUR_CHOICES.map((hour) => ({ value: hour, label: `${hour.padStart(2, "0")}:00` })),
          ]}
        />
      )}
      <TextInput
        label={`Opened from, ${clockName}`}
        name="from"
        type="date"
        defaultValue={query.from ?? ""}
      />
      <TextInput label={`Opened to, ${clockName}`} name="to" type="date" defaultValue={query.to ?? ""} />
    </FilterBar>
  );
}
