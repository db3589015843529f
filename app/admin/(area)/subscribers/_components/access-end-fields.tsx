import { Checkbox } from "@/app/_components/form/checkbox";
import { TextInput } from "@/app/_components/form/text-input";

/**
 * The end of access as a date or, ticked, none. `end`: the end in force, as `formatUtcMinute` writes it; undefined: not chosen
 * yet.
 */
export function AccessEndFields({
  label = "Access until, UTC",
  end,
  values,
  errors,
}: {
  label?: string;
  end?: string;
  values: Record<string, string>;
  errors: Record<string, string>;
}) {
  const isNewForm = Object.keys(values).length === 0;
  return (
    <div className="space-y-4">
      <TextInput
        label={label}
        name="expires_at"
        type="datetime-local"
        defaultValue={values.expires_at ?? end}
        error={errors.expires_at}
      />
      <Checkbox
        name="no_end"
        value="true"
        defaultChecked={isNewForm ? end === "" : values.no_end === "true"}
        label="No end date"
      />
    </div>
  );
}
