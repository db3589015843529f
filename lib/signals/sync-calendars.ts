import { setDayOverrides } from "@/lib/market/day-overrides";
import { setSlotGraceMinutes } from "@/lib/market/freshness";
import { setOperatorCalendars } from "@/lib/market/operator-calendars";
import { settingsCache } from "@/lib/runtime/settings-cache";

/**
 * From now on keeps the day overrides, operators' calendars and the slots' grace minutes of this process equal
 * to the stored settings.
 */
export function keepCalendarsInSync(): void {
  let inForce: readonly unknown[] | null = null;
  let operatorCalendarsInForce: readonly unknown[] | null = null;
  settingsCache().follow(({ calendarDays, operatorCalendars, slotSettings }) => {
    setSlotGraceMinutes(
      new Map(
        slotSettings.flatMap(({ symbol, timeframe, graceMinutes }) =>
          graceMinutes === null ? [] : [[`${symbol}/${timeframe}`, graceMinutes] as const],
        ),
      ),
    );
    if (JSON.stringify(operatorCalendars) !== JSON.stringify(operatorCalendarsInForce)) {
      operatorCalendarsInForce = operatorCalendars;
      setOperatorCalendars(operatorCalendars);
    }
    // A change of another setting must not cause the closures of all calendars to be computed again.
    if (JSON.stringify(calendarDays) === JSON.stringify(inForce)) return;
    inForce = calendarDays;
    setDayOverrides(calendarDays);
  });
}
