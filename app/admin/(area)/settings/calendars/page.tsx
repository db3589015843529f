import type { Metadata } from "next";
import { Badge } from "@/app/_components/badge";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Select } from "@/app/_components/form/select";
import { TextInput } from "@/app/_components/form/text-input";
import { formatDay } from "@/app/_components/times";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { PreviewNotice } from "@/app/admin/(area)/settings/_components/preview-notice";
import { SettingsHeader } from "@/app/admin/(area)/settings/_components/settings-header";
import { db } from "@/db/client";
import { listCalendarNames, listOperatorCalendars } from "@/db/queries/calendars";
import { type DayOverrideRow, listDayOverrides } from "@/db/queries/site";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { listUnusualDays } from "@/lib/market/day-overrides";
import { adminPaths } from "@/lib/paths";
import { type CalendarName, DAY_OVERRIDE_KINDS, type DayOverrideKind } from "@/lib/vocabulary";
import type { SearchParams } from "@/lib/wire/query-filter";
import { OperatorCalendarForm } from "./_components/operator-calendar-form";

export const metadata: Metadata = { title: "Calendars" };

const SAVE = "calendar-day.save";
const REMOVE = "calendar-day.remove";
const YEARS = 2;

const KIND_LABELS: Record<DayOverrideKind, string> = {
  closed: "no trading",
  early: "an early close",
  open: "trading as usual",
};

interface Line {
  day: string;
  name: string;
  /** A whole or early closure by the calendar's rules; null: an ordinary day. */
  proposed: { closesAt: string | null } | null;
  said: DayOverrideRow | null;
}

/** The unusual days of a calendar for two years: by its rules, and by the operator's changes. */
export default async function Calendars({ searchParams }: { searchParams: SearchParams }) {
  const session = await requireAdminSession(adminPaths.calendars());
  const query = await searchParams;
  const [flash, names, own] = await Promise.all([
    consumeFlash(db(), session.sessionId),
    listCalendarNames(db()),
    listOperatorCalendars(db()),
  ]);
  const form = formState(flash, SAVE);
  const defined = formState(flash, "calendar.save");
  const removed = formState(flash, REMOVE);
  const wanted = form.values.calendar ?? removed.values.calendar ?? defined.values.name ?? query.calendar;
  const isNew = !names.some(({ name }) => name === wanted) && (wanted === "new" || defined.returned);
  const { name: calendar, title } = names.find(({ name }) => name === wanted) ?? { name: "fx", title: "FX" };
  const operatorCalendar = own.find(({ name }) => name === calendar) ?? null;
  const said = await listDayOverrides(db(), calendar);
  const rows = linesOf(calendar, said, new Date());
  const wantedDay = form.values.day ?? removed.values.day ?? query.day;
  const chosen = rows.find(({ day }) => day === wantedDay);
  const values = form.returned ? form.values : valuesOf(chosen);
  const field = (name: string) => ({ name, defaultValue: values[name], error: form.errors[name] });
  return (
    <>
      <SettingsHeader
        title="Calendars"
        lead="Trading hours and holidays of each market. While a market is closed, no signal is due and none counts as stale."
      />
      <FlashNotice flash={flash} />
      <nav aria-label="Calendar" className="mb-6 flex flex-wrap gap-x-5 gap-y-1 border-b text-sm">
        {names.map(({ name, title }) => (
          <a
            key={name}
            href={adminPaths.calendars({ calendar: name })}
            aria-current={name === calendar && !isNew ? "page" : undefined}
            className="border-b-2 border-transparent py-2 text-muted hover:text-ink aria-[current]:border-accent aria-[current]:text-ink"
          >
            {title}
          </a>
        ))}
        <a
          href={adminPaths.calendars({ calendar: "new" })}
          aria-current={isNew ? "page" : undefined}
          className="border-b-2 border-transparent py-2 text-muted hover:text-ink aria-[current]:border-accent aria-[current]:text-ink"
        >
          Add a calendar
        </a>
      </nav>
      {isNew ? <OperatorCalendarForm stored={null} flash={flash} /> : null}
      <div className={isNew ? "hidden" : "space-y-6"}>
        {operatorCalendar && <OperatorCalendarForm stored={operatorCalendar} flash={flash} />}
        <ActionForm needs="calendar-day.save" action={adminPaths.saveCalendarDay()} className="space-y-6">
          <PreviewNotice flash={flash} form={SAVE} />
          <input type="hidden" name="calendar" value={calendar} />
          <Card
            title={`Add a holiday: ${title}`}
            lead={
              operatorCalendar !== null
                ? `Times are in ${operatorCalendar.timeZone}. A trading day runs from midnight to midnight.`
                : calendar === "crypto"
                  ? "The market never closes. Days are UTC."
                  : "New York time. A trading day of FX, metals, energies and indices begins at 17:00 or 18:00 the evening before."
            }
          >
            <div className="grid gap-5 sm:grid-cols-2 lg:grid-cols-4">
              <TextInput {...field("day")} label="Day" type="date" required />
              <Select
                {...field("kind")}
                label="Trading"
                options={DAY_OVERRIDE_KINDS.map((kind) => ({ value: kind, label: KIND_LABELS[kind] }))}
              />
              <TextInput {...field("closes_at")} label="Closes at" type="time" hint="For an early close." />
              <TextInput {...field("note")} label="Note" maxLength={120} />
            </div>
            <div className="mt-5 flex flex-wrap gap-2">
              <Button type="submit">Preview</Button>
              {chosen && (
                <LinkButton href={adminPaths.calendars({ calendar })} variant="quiet">
                  Choose another day
                </LinkButton>
              )}
            </div>
          </Card>
        </ActionForm>
        {chosen?.said && (
          <ActionForm
            needs="calendar-day.remove"
            action={adminPaths.removeCalendarDay()}
            className="space-y-4"
          >
            <PreviewNotice flash={flash} form={REMOVE} />
            <input type="hidden" name="calendar" value={calendar} />
            <input type="hidden" name="day" value={chosen.day} />
            <Button type="submit" size="small">
              Restore the rules for {writeDay(chosen.day)}
            </Button>
          </ActionForm>
        )}
        <Card title={`The next ${YEARS} years`} flush>
          <DataTable
            caption={`Unusual days of ${title}`}
            rows={rows}
            rowKey={({ day }) => day}
            columns={columnsOf(calendar)}
            empty={
              <EmptyState title="No unusual days">
                The rules contain no holiday or early close in these years, and you added none.
              </EmptyState>
            }
          />
        </Card>
      </div>
    </>
  );
}

/** Days from today (UTC) on that are unusual by the calendar's rules, and every day that the operator changed. */
function linesOf(calendar: CalendarName, said: readonly DayOverrideRow[], now: Date): Line[] {
  const lines = new Map<string, Line>(
    listUnusualDays(calendar, now, YEARS).map(({ day, name, closesAt }) => [
      day,
      { day, name, proposed: { closesAt }, said: null },
    ]),
  );
  for (const one of said) {
    const line = lines.get(one.day) ?? { day: one.day, name: "", proposed: null, said: null };
    lines.set(one.day, { ...line, said: one });
  }
  return [...lines.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

const writeDay = (day: string) => formatDay(new Date(`${day}T00:00:00Z`));

const formatClosing = (closesAt: string | null) =>
  closesAt === null ? "no trading" : `closes at ${closesAt}`;

const columnsOf = (calendar: CalendarName): Column<Line>[] => [
  {
    key: "day",
    header: "Day",
    primary: true,
    cell: ({ day }) => (
      <a href={adminPaths.calendars({ calendar, day })} className="link tabular-nums">
        {writeDay(day)}
      </a>
    ),
  },
  { key: "weekday", header: "Weekday", cell: ({ day }) => WEEKDAYS[new Date(day).getUTCDay()] },
  { key: "name", header: "What", cell: ({ name, said }) => said?.note ?? (name || "–") },
  {
    key: "rules",
    header: "By the rules",
    cell: ({ proposed }) => (proposed ? formatClosing(proposed.closesAt) : "trading as usual"),
  },
  {
    key: "force",
    header: "In force",
    cell: ({ proposed, said }) =>
      said ? (
        <span className="inline-flex flex-wrap items-center gap-2">
          {said.kind === "open" ? "trading as usual" : formatClosing(said.closesAt)}
          <Badge>yours</Badge>
        </span>
      ) : (
        formatClosing(proposed?.closesAt ?? null)
      ),
  },
];

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

function valuesOf(line: Line | undefined): Record<string, string> {
  if (!line) return { kind: "closed" };
  const { day, proposed, said, name } = line;
  const closesAt = said ? said.closesAt : (proposed?.closesAt ?? null);
  return {
    day,
    kind: said?.kind ?? (closesAt === null ? "closed" : "early"),
    closes_at: closesAt ?? "",
    note: said?.note ?? name,
  };
}
