import { Checkbox } from "@/app/_components/form/checkbox";
import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";

export interface SignalFilterValues {
  symbol?: string | undefined;
  timeframe?: string | undefined;
  direction?: string | undefined;
  min_confidence?: number | undefined;
}

/** The filters of both views of signals. */
export function SignalFilters({
  action,
  values,
  symbols,
  timeframes,
  noTrade,
  days,
  isSet,
}: {
  action: string;
  values: SignalFilterValues;
  symbols: readonly string[];
  timeframes: readonly string[];
  /** Adds the choice to include NO TRADE. */
  noTrade?: boolean;
  days?: number;
  isSet: boolean;
}) {
  const all = (word: string, codes: readonly string[]) => [
    { value: "", label: word },
    ...codes.map((code) => ({ value: code, label: code })),
  ];
  return (
    <FilterBar action={action} resetHref={isSet ? action : undefined}>
      <Select
        label="Symbol"
        name="symbol"
        defaultValue={values.symbol ?? ""}
        options={all("All symbols", symbols)}
      />
      <Select
        label="Timeframe"
        name="timeframe"
        defaultValue={values.timeframe ?? ""}
        options={all("All", timeframes)}
      />
      <Select
        label="Direction"
        name="direction"
        defaultValue={values.direction ?? ""}
        options={[
          { value: "", label: "Any" },
          { value: "BUY", label: "BUY" },
          { value: "SELL", label: "SELL" },
          { value: "NO_TRADE", label: "NO TRADE" },
        ]}
      />
      <TextInput
        label="Confidence from, %"
        name="min_confidence"
        inputMode="decimal"
        pattern="\s*(100|[0-9]{1,2}([.,][0-9]{1,4})?)\s*%?\s*"
        title="A percentage from 0 to 100, such as 60"
        placeholder="60"
        defaultValue={
          values.min_confidence === undefined ? "" : String(Number((100 * values.min_confidence).toFixed(4)))
        }
      />
      {days !== undefined && (
        <Select
          label="Period"
          name="days"
          defaultValue={String(days)}
          options={[
            { value: "1", label: "1 day" },
            { value: "7", label: "7 days" },
            { value: "30", label: "30 days" },
            { value: "90", label: "90 days" },
          ]}
        />
      )}
      {noTrade !== undefined && (
        <div className="flex h-10 items-center">
          <Checkbox label="With NO TRADE" name="no_trade" value="true" defaultChecked={noTrade} />
        </div>
      )}
    </FilterBar>
  );
}
