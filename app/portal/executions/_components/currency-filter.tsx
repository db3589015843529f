import { formatList } from "@/app/_components/figures";
import { Select } from "@/app/_components/form/select";
import { Notice } from "@/app/_components/notice";

/** The choice of a currency, shown only if an account reports in several. `anyLabel`: of the choice of none. */
export function CurrencyFilter({
  currencies,
  chosen,
  anyLabel,
}: {
  currencies: readonly string[];
  chosen: string | undefined;
  anyLabel?: string;
}) {
  if (currencies.length < 2) return null;
  return (
    <Select
      label="Currency"
      name="currency"
      defaultValue={chosen ?? ""}
      options={[
        ...(anyLabel === undefined ? [] : [{ value: "", label: anyLabel }]),
        ...currencies.map((value) => ({ value, label: value })),
      ]}
    />
  );
}

/** Says that figures cover the positions of one currency. */
export function OneCurrencyNotice({
  currencies,
  only,
}: {
  currencies: readonly string[];
  only: string | undefined;
}) {
  if (only === undefined || currencies.length < 2) return null;
  return (
    <Notice tone="info" title={`Positions in ${only}`}>
      Your EA reports positions in {formatList(currencies)}. Amounts in different currencies are not added, so
      figures and charts count one currency at a time.
    </Notice>
  );
}
