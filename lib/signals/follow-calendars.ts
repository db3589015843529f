import { holdCalendarDays } from "@/lib/market/calendar-days";
import { holdSlotGraces } from "@/lib/market/freshness";
import { holdOwnCalendars } from "@/lib/market/own-calendars";
import { settingsCache } from "@/lib/runtime/settings-cache";

/** Puts what operators say of days of calendars and of slots in force in this process, now and whenever it changes. */
export function followCalendars(): void {
  let inForce: readonly unknown[] | null = null;
  let ownInForce: readonly unknown[] | null = null;
  settingsCache().follow(({ calendarDays, ownCalendars, slotSettings }) => {
    holdSlotGraces(
      new Map(
        slotSettings.flatMap(({ symbol, timeframe, graceMinutes }) =>
          graceMinutes === null ? [] : [[`${symbol}/${timeframe}`, graceMinutes] as const],
        ),
      ),
    );
    if (JSON.stringify(ownCalendars) !== JSON.stringify(ownInForce)) {
      ownInForce = ownCalendars;
      holdOwnCalendars(ownCalendars);
    }
    // What is held anew for another reason must not make every calendar be counted again.
    if (JSON.stringify(calendarDays) === JSON.stringify(inForce)) return;
    inForce = calendarDays;
    holdCalendarDays(calendarDays);
  });
}
