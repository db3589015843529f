import { holdCalendarDays } from "@/lib/market/calendar-days";
import { operated } from "@/lib/runtime/operated";

/** Puts what operators say of days of calendars in force in this process, now and whenever it changes. */
export function followCalendars(): void {
  let inForce: readonly unknown[] | null = null;
  operated().follow(({ calendarDays }) => {
    // What is held anew for another reason must not make every calendar be counted again.
    if (JSON.stringify(calendarDays) === JSON.stringify(inForce)) return;
    inForce = calendarDays;
    holdCalendarDays(calendarDays);
  });
}
