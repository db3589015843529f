import { FilterBar } from "@/app/_components/form/filter-bar";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { type ListFilterSet as Filters, isFiltered, type ListFilterValues } from "./list-filter";

/** The filter fields of a list. Other parameters, such as the order, are preserved. */
export function ListFilters({
  label,
  filters,
  shown,
  address,
}: {
  label: string;
  filters: Filters;
  shown: ListFilterValues;
  /** The address of the list with these values. */
  address: (values: ListFilterValues) => string;
}) {
  const others = Object.entries(shown).filter(
    ([name, value]) => value !== undefined && !filters[name]?.field,
  );
  return (
    <FilterBar
      action={address({})}
      resetHref={isFiltered(filters, shown) ? address(Object.fromEntries(others)) : undefined}
      label={label}
    >
      {others.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {Object.entries(filters).map(([name, { field }]) => {
        if (!field) return null;
        const value = String(shown[name] ?? "");
        return field.options ? (
          <Select
            key={name}
            label={field.label}
            name={name}
            defaultValue={value}
            options={[{ value: "", label: "Any" }, ...field.options]}
          />
        ) : (
          <TextInput
            key={name}
            label={field.label}
            name={name}
            type="search"
            placeholder={field.placeholder}
            defaultValue={value}
            className="max-w-sm flex-1 phone:max-w-none phone:basis-full!"
          />
        );
      })}
    </FilterBar>
  );
}
