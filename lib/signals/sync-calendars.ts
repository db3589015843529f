import { setDayOverrides } from "@/lib/market/day-overrides";
import { setSlotGraceMinutes } from "@/lib/market/freshness";
import { setOperatorCalendars } from "@/lib/market/operator-calendars";
import { settingsCache } from "@/lib/runtime/settings-cache";

/**
 * From now on keeps the day overrides, the operator's own calendars and the slots' grace minutes of this process equal
 * to the stored settings.
 */
export function keepCalendarsInSync(): void {
  let inForce: readonly unknown[] | null = null;
  let ownInForce: readonly unknown[] | null = null;
  settingsCache().follow(({ calendarDays, ownCalendars, slotSettings }) => {
    setSlotGraceMinutes(
      new Map(
        slotSettings.flatMap(({ symbol, timeframe, graceMinutes }) =>
          graceMinutes === null ? [] : [[`${symbol}/${timeframe}`, graceMinutes] as const],
        ),
      ),
    );
    if (JSON.stringify(ownCalendars) !== JSON.stringify(ownInForce)) {
      ownInForce = ownCalendars;
      setOperatorCalendars(ownCalendars);
    }
    // A change of another setting must not cause the closures of all calendars to be computed again.
    if (JSON.stringify(calendarDays) === JSON.stringify(inForce)) return;
    inForce = calendarDays;
    setDayOverrides(calendarDays);
  });
}
