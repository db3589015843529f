import type { Database, DatabaseHandle } from "@/db/client";
import type { StoredCalendar } from "@/db/queries/cached-settings";
import { deleteOperatorCalendar, lockOperatorCalendar, writeOperatorCalendar } from "@/db/queries/calendars";
import { lockSettings } from "@/db/queries/settings";
import { listSymbolSettings } from "@/db/queries/symbols";
import { clockChangeWhileOpen } from "@/lib/market/calendar";
import { calendarProblem, parseHours } from "@/lib/market/operator-calendars";
import type { Actor } from "@/lib/runtime/audit";
import { countWithNoun } from "@/lib/runtime/count-with-noun";
import type {
  SettingChangePreview,
  SettingChangeResult,
  SettingFormHiddenFields,
} from "@/lib/runtime/setting-change-preview";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { confirmChange } from "@/lib/settings/confirm-change";
import { HOUR_MS } from "@/lib/time";
import { BUILT_IN_CALENDARS, PRESET_CALENDARS } from "@/lib/vocabulary";
import { AppError, invalidField } from "@/lib/wire/errors";

const FIELDS = { timeZone: "time_zone", hours: "hours", holidays: "holidays" } as const;

/** Why an operator's calendar is invalid, with the property at fault; null: it is valid. */
export const operatorCalendarProblem = (calendar: StoredCalendar) =>
  calendarProblem(calendar, (spans, zone) => clockChangeWhileOpen(spans, zone, new Date()));

/**
 * Stores or removes an operator's calendar after its preview was confirmed. Throws validation_failed for an invalid
 * field or the name of a built-in calendar, not_found, and conflict for removing a preset calendar or one that a symbol
 * uses.
 */
export async function changeCalendar(
  database: Database,
  name: string,
  after: StoredCalendar | null,
  submitted: SettingFormHiddenFields,
  actor: Actor,
): Promise<SettingChangeResult> {
  if (BUILT_IN_CALENDARS.some((builtIn) => builtIn === name))
    throw invalidField("body", "name", "is a built-in calendar: choose another name");
  const problem = after && operatorCalendarProblem(after);
  if (problem) throw invalidField("body", FIELDS[problem.property], problem.text);
  const changed = await confirmChange<StoredCalendar | null>(
    database,
    {
      after,
      lock: async (tx) => {
        await lockSettings(tx);
        return lockOperatorCalendar(tx, name);
      },
      check: async (tx, before) => {
        if (after !== null) return;
        if (before === null) throw new AppError("not_found");
        if (PRESET_CALENDARS.some((preset) => preset === name))
          throw new AppError("conflict", { detail: "This calendar is built in and cannot be removed." });
        const users = await symbolsOf(tx, name);
        if (users.length > 0)
          throw new AppError("conflict", {
            detail: `In use by ${users.join(", ")}. Choose another calendar on the page Symbols first.`,
          });
      },
      preview: (tx) => previewCalendar(tx, name, after),
      write: (tx) => (after ? writeOperatorCalendar(tx, after) : deleteOperatorCalendar(tx, name)),
      audit: () => ({
        action: after ? "calendar.define" : "calendar.delete",
        target: `calendar/${name}`,
      }),
    },
    submitted,
    actor,
  );
  if (changed.outcome === "stored") await settingsCache().readAgain();
  return changed;
}

const symbolsOf = async (handle: DatabaseHandle, name: string): Promise<string[]> =>
  (await listSymbolSettings(handle)).filter(({ calendar }) => calendar === name).map(({ symbol }) => symbol);

async function previewCalendar(
  handle: DatabaseHandle,
  name: string,
  after: StoredCalendar | null,
): Promise<SettingChangePreview> {
  const users = await symbolsOf(handle, name);
  const spans = after ? parseHours(after.hours) : [];
  const openMs =
    typeof spans === "string" ? 0 : spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const lines = [
    after &&
      `It is open ${Math.round((10 * openMs) / HOUR_MS) / 10} hours a week, on the clock of ${after.timeZone}.`,
    after && `${countWithNoun(after.holidays.length, "day")} a year without trading.`,
    users.length > 0
      ? `${countWithNoun(users.length, "symbol")} ${users.length === 1 ? "uses" : "use"} it: ${users.join(", ")}. It decides when their signals are due and stale.`
      : "No symbol uses it yet. Choose it on the page Symbols.",
  ];
  return { lines: lines.filter((line) => line !== null), cutsOff: 0 };
}
