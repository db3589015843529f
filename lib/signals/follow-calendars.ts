import { holdCalendarDays } from "@/lib/market/calendar-days";
import { holdSlotGraces } from "@/lib/market/freshness";
import { operated } from "@/lib/runtime/operated";

/** Puts what operators say of days of calendars and of slots in force in this process, now and whenever it changes. */
export function followCalendars(): void {
  let inForce: readonly unknown[] | null = null;
  operated().follow(({ calendarDays, slotSettings }) => {
    holdSlotGraces(
      new Map(
        slotSettings.flatMap(({ symbol, timeframe, graceMinutes }) =>
          graceMinutes === null ? [] : [[`${symbol}/${timeframe}`, graceMinutes] as const],
        ),
      ),
    );
    // What is held anew for another reason must not make every calendar be counted again.
    if (JSON.stringify(calendarDays) === JSON.stringify(inForce)) return;
    inForce = calendarDays;
    holdCalendarDays(calendarDays);
  });
}
