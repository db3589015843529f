import type { Database, DatabaseHandle } from "@/db/client";
import {
  type DayOverrideRow,
  deleteDayOverride,
  listDayOverrides,
  lockDayOverride,
  writeDayOverride,
} from "@/db/queries/site";
import { listSlots } from "@/db/queries/slots";
import { listSymbolSettings } from "@/db/queries/symbols";
import { openMinutesOfDay } from "@/lib/market/calendar";
import type { DayOverride } from "@/lib/market/day-overrides";
import type { Actor } from "@/lib/runtime/audit";
import { countWithNoun } from "@/lib/runtime/count-with-noun";
import type { SettingChangePreview, SettingChangeResult } from "@/lib/runtime/setting-change-preview";
import { settingsCache } from "@/lib/runtime/settings-cache";
import { confirmChange } from "@/lib/settings/confirm-change";
import { DAY_MS } from "@/lib/time";
import { AppError, invalidField } from "@/lib/wire/errors";
import { requireCalendar } from "./change-symbol";

/** An operator's entry for a day of a calendar, or its removal. */
export interface DayOverrideChange {
  id: Pick<DayOverrideRow, "calendar" | "day">;
  /** null: the calendar's rules apply. */
  after: DayOverrideRow | null;
  mark: string | undefined;
}

/**
 * Stores or removes the entry for a day if `mark` confirms its present preview; otherwise returns the preview. Throws
 * validation_failed for an invalid entry, and not_found if there is no entry to remove.
 */
export async function changeDayOverride(
  database: Database,
  { id, after, mark }: DayOverrideChange,
  actor: Actor,
): Promise<SettingChangeResult> {
  await requireCalendar(database, id.calendar);
  const problem = after && dayOverrideProblem(after);
  if (problem) throw invalidField("body", problem.field, problem.text);
  const changed = await confirmChange<DayOverrideRow | null>(
    database,
    {
      after,
      lock: (tx) => lockDayOverride(tx, id),
      check: (_, before) => {
        if (before === null && after === null) throw new AppError("not_found");
      },
      preview: (tx) => previewDay(tx, id, after),
      write: (tx) => (after ? writeDayOverride(tx, after) : deleteDayOverride(tx, id)),
      audit: () => ({
        action: after ? "calendar.change" : "calendar.remove",
        target: `calendar/${id.calendar}/${id.day}`,
      }),
    },
    { mark },
    actor,
  );
  if (changed.outcome === "stored") await settingsCache().readAgain();
  return changed;
}

/** Why an entry for a day is invalid; null: it is valid. */
export function dayOverrideProblem(said: DayOverride): { field: "day" | "closes_at"; text: string } | null {
  const { calendar, day, kind } = said;
  const usual = openMinutesOfDay([{ ...said, kind: "open", closesAt: null }], calendar, day);
  if (usual === 0) return { field: "day", text: "is not a trading day of this calendar" };
  if (kind !== "early") return null;
  const left = openMinutesOfDay([said], calendar, day);
  if (left === usual) return { field: "closes_at", text: "must be before the usual end of the trading day" };
  return left === 0 ? { field: "closes_at", text: "must be after the market has opened" } : null;
}

async function previewDay(
  handle: DatabaseHandle,
  { calendar, day }: DayOverrideChange["id"],
  after: DayOverrideRow | null,
): Promise<SettingChangePreview> {
  const [symbols, slots, said] = await Promise.all([
    listSymbolSettings(handle),
    listSlots(handle),
    listDayOverrides(handle, calendar),
  ]);
  const names = symbols.filter((symbol) => symbol.calendar === calendar).map(({ symbol }) => symbol);
  const touched = slots.filter(({ symbol }) => names.includes(symbol)).length;
  const others = said.filter((one) => one.day !== day);
  const [now, then] = [said, after ? [...others, after] : others].map((days) =>
    openMinutesOfDay(days, calendar, day),
  );
  const lines = [
    `${countWithNoun(names.length, "symbol")} (${countWithNoun(touched, "slot")}) use this calendar${names.length > 0 ? `: ${shortened(names)}` : ""}.`,
    `On ${day} it is open for ${hours(then ?? 0)} instead of ${hours(now ?? 0)}. While it is closed, no signal is due or stale, and no client is missed.`,
    Date.parse(day) < Date.now() - DAY_MS &&
      "The day has passed: figures already computed from it do not change.",
  ].filter((line) => line !== false);
  return { lines, cutsOff: 0 };
}

const shortened = (names: readonly string[]) =>
  names.length <= 8 ? names.join(", ") : `${names.slice(0, 8).join(", ")} and ${names.length - 8} more`;
const hours = (minutes: number) => {
  const rest = Math.round(minutes % 60);
  return `${Math.floor(minutes / 60)} h${rest === 0 ? "" : ` ${rest} min`}`;
};
