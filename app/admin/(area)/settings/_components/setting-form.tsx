import type { ReactNode } from "react";
import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { ActionForm } from "@/app/admin/_components/allowed";
import { formState } from "@/app/admin/_components/flash-notice";
import type { Flash } from "@/lib/auth/flash";
import { FormVersion } from "./form-version";
import { PreviewNotice } from "./preview-notice";

/** How a field of a setting is filled: with what was typed where the form came back, else with what is stored. */
export type FieldOf = (name: string) => { name: string; defaultValue?: string; error?: string };

/** One setting with its form: what it would do is shown first, and what another stored meanwhile is not overwritten. */
export function SettingForm({
  name,
  action,
  flash,
  stored,
  values,
  title,
  lead,
  asks = "Show what it would do",
  children,
}: {
  /** Of the form, as the table of roles has it. */
  name: string;
  action: string;
  flash: Flash | null;
  stored: unknown;
  values: Record<string, string>;
  title: string;
  lead: string;
  /** On the button. */
  asks?: string;
  children: (field: FieldOf, filled: Record<string, string | undefined>) => ReactNode;
}) {
  const form = formState(flash, name);
  const filled = form.returned ? form.values : values;
  return (
    <ActionForm needs={name} action={action} className="space-y-6">
      <PreviewNotice flash={flash} form={name} />
      <FormVersion form={form} stored={stored} />
      <Card title={title} lead={lead}>
        {children(
          (field) => ({ name: field, defaultValue: filled[field], error: form.errors[field] }),
          filled,
        )}
        <div className="mt-5">
          <Button type="submit">{asks}</Button>
        </div>
      </Card>
    </ActionForm>
  );
}
