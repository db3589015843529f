import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Checkbox } from "@/app/_components/form/checkbox";
import { Select } from "@/app/_components/form/select";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { formState } from "@/app/admin/_components/flash-notice";
import type { Flash } from "@/lib/auth/flash";
import { adminPaths } from "@/lib/paths";
import { controlName, type PageText, type SettingField } from "@/lib/settings/fields";
import type { Setting } from "@/lib/settings/setting";
import { FormVersionField } from "./form-version";
import { PreviewNotice } from "./preview-notice";

/** The form of a setting, built from its registry entry and filled with the stored values. */
export function SettingForm({
  entry,
  stored,
  flash,
}: {
  entry: Setting;
  stored: Record<string, unknown>;
  flash: Flash | null;
}) {
  const form = formState(flash, entry.form);
  const filled: Record<string, string | undefined> = form.returned ? form.values : entry.written(stored);
  return (
    <ActionForm needs={entry.form} action={adminPaths.saveSetting(entry.address)} className="space-y-6">
      <PreviewNotice flash={flash} form={entry.form} />
      <FormVersionField form={form} stored={stored} />
      <Card title={entry.title} lead={entry.lead} footer={entry.footer}>
        <div className={`grid gap-5 sm:grid-cols-2 ${entry.columns === 4 ? "lg:grid-cols-4" : ""}`}>
          {Object.entries(entry.fields).map(([property, field]) => {
            const name = controlName(property, field);
            return (
              <Control key={name} field={field} name={name} value={filled[name]} error={form.errors[name]} />
            );
          })}
        </div>
        <div className="mt-5">
          <Button type="submit">{entry.asks ?? "Preview"}</Button>
        </div>
      </Card>
    </ActionForm>
  );
}

const said = (words: PageText | undefined) => (typeof words === "function" ? words() : words);

/** The control for a kind of field. */
function Control({
  field,
  name,
  value,
  error,
}: {
  field: SettingField<unknown>;
  name: string;
  value: string | undefined;
  error: string | undefined;
}) {
  const { control, label, isRequired } = field;
  const shared = {
    name,
    label,
    hint: said(field.hint),
    className: field.wide ? "sm:col-span-2" : undefined,
    ...(error === undefined ? {} : { error }),
  };
  switch (control.kind) {
    case "text":
      return (
        <TextInput
          {...shared}
          type={control.type ?? "text"}
          inputMode={control.inputMode}
          autoCapitalize={control.inputMode === "email" ? "none" : undefined}
          maxLength={control.maxLength}
          placeholder={said(field.placeholder)}
          defaultValue={value}
          required={isRequired}
          spellCheck={false}
        />
      );
    case "lines":
      return <TextArea {...shared} defaultValue={value} rows={5} spellCheck={false} />;
    case "select":
      return <Select {...shared} options={control.options} defaultValue={value} />;
    case "checkbox":
      return <Checkbox {...shared} value="true" defaultChecked={value === "true"} className="sm:pt-8" />;
    case "logo":
      return value ? (
        <Checkbox
          {...shared}
          value={value}
          defaultChecked
          label={
            <span className="inline-flex items-center gap-3">
              {label}
              {/* biome-ignore lint/performance/noImgElement: there is no image optimiser here */}
              <img src={`/brand/${value}`} alt="The logo" className="h-8 w-auto" />
            </span>
          }
        />
      ) : null;
  }
}
