import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select, type SelectOption } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";

/** One filter of a list: a chooser where there are options ("Any" comes by itself), else a search. */
export interface ListFilter {
  /** Its name in the address. */
  name: string;
  label: string;
  options?: readonly SelectOption[];
  placeholder?: string;
}

/** What the address of a list says, as it was understood. */
export type Shown = Record<string, string | number | undefined>;

/** The filters of a list. What else the address says, such as the order, is kept. */
export function ListFilters({
  label,
  filters,
  shown,
  address,
}: {
  label: string;
  filters: readonly ListFilter[];
  shown: Shown;
  /** The list with these values in its address. */
  address: (values: Shown) => string;
}) {
  const kept = keptOf(filters, shown);
  return (
    <FilterBar
      action={address({})}
      resetHref={isFiltered(filters, shown) ? address(Object.fromEntries(kept)) : undefined}
      label={label}
    >
      {kept.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {filters.map(({ name, label, options, placeholder }) => {
        const value = String(shown[name] ?? "");
        return options ? (
          <Select
            key={name}
            label={label}
            name={name}
            defaultValue={value}
            options={[{ value: "", label: "Any" }, ...options]}
          />
        ) : (
          <TextInput
            key={name}
            label={label}
            name={name}
            type="search"
            placeholder={placeholder}
            defaultValue={value}
            className="max-w-sm flex-1 phone:max-w-none phone:basis-full!"
          />
        );
      })}
    </FilterBar>
  );
}

/** Whether the address narrows the list. */
export function isFiltered(filters: readonly ListFilter[], shown: Shown): boolean {
  return filters.some(({ name }) => shown[name] !== undefined);
}

function keptOf(filters: readonly ListFilter[], shown: Shown) {
  return Object.entries(shown).filter(
    ([name, value]) => value !== undefined && !filters.some((filter) => filter.name === name),
  );
}
