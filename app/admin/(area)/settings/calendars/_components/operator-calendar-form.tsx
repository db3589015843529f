import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Select } from "@/app/_components/form/select";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { timeZoneOptions, timeZoneOptionValue } from "@/app/_components/form/time-zones";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { formState } from "@/app/admin/_components/flash-notice";
import { FormVersionField } from "@/app/admin/(area)/settings/_components/form-version";
import { PreviewNotice } from "@/app/admin/(area)/settings/_components/preview-notice";
import type { StoredCalendar } from "@/db/queries/cached-settings";
import type { Flash } from "@/lib/auth/flash";
import { adminPaths } from "@/lib/paths";
import { PRESET_CALENDARS } from "@/lib/vocabulary";

const SAVE = "calendar.save";
const REMOVE = "calendar.remove";

/** The hours and holidays of an operator's calendar; null: the form for a new one. */
export function OperatorCalendarForm({
  stored,
  flash,
}: {
  stored: StoredCalendar | null;
  flash: Flash | null;
}) {
  const form = formState(flash, SAVE);
  const values: Record<string, string | undefined> = form.returned
    ? form.values
    : {
        name: stored?.name,
        title: stored?.title,
        time_zone: timeZoneOptionValue(stored?.timeZone ?? "UTC"),
        hours: stored?.hours.join("\n"),
        holidays: stored?.holidays.join("\n"),
      };
  const field = (name: string) => ({ name, defaultValue: values[name], error: form.errors[name] });
  const isPreset = PRESET_CALENDARS.some((preset) => preset === stored?.name);
  return (
    <div className="space-y-4">
      <ActionForm needs="calendar.save" action={adminPaths.calendarsForm("save-own")} className="space-y-6">
        <PreviewNotice flash={flash} form={SAVE} />
        {stored && <FormVersionField form={form} stored={stored} />}
        <Card
          title={stored ? `Trading hours: ${stored.title}` : "Add a calendar"}
          lead={
            isPreset
              ? "Shipped with the service: the hours of the exchange's futures. Compare them with your broker's."
              : "For symbols whose trading hours differ from those of the built-in calendars."
          }
        >
          <div className="grid gap-5 sm:grid-cols-3">
            <TextInput
              {...field("name")}
              label="Name"
              required
              maxLength={24}
              readOnly={stored !== null}
              autoCapitalize="none"
              spellCheck={false}
              hint="Small letters, digits and _."
            />
            <TextInput {...field("title")} label="Title" required maxLength={60} />
            <Select {...field("time_zone")} label="Time zone" options={timeZoneOptions()} />
            <TextArea
              {...field("hours")}
              label="Weekly hours"
              required
              rows={5}
              spellCheck={false}
              placeholder="Mon-Fri 09:00-17:30"
              hint="One period per line. An end at or before its start is on the next day."
              className="sm:col-span-2"
            />
            <TextArea
              {...field("holidays")}
              label="Days without trading, each year"
              rows={5}
              spellCheck={false}
              placeholder={"12-25\neaster-2\nfirst monday 05"}
              hint="One rule per line. 12-26 observed moves to a weekday if it is on a weekend. Enter single days below."
            />
          </div>
          <div className="mt-5">
            <Button type="submit">Preview</Button>
          </div>
        </Card>
      </ActionForm>
      {stored && !isPreset && (
        <ActionForm
          needs="calendar.remove"
          action={adminPaths.calendarsForm("remove-own")}
          className="space-y-4"
        >
          <PreviewNotice flash={flash} form={REMOVE} />
          <input type="hidden" name="name" value={stored.name} />
          <Button type="submit" size="small">
            Remove this calendar
          </Button>
        </ActionForm>
      )}
    </div>
  );
}
