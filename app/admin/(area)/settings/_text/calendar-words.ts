import type { CalendarName } from "@/lib/vocabulary";

/** The trading calendars by name. */
export const CALENDAR_WORDS: Record<CalendarName, string> = {
  fx: "FX",
  metal: "Metals",
  energy: "Energies",
  us_index: "US indices",
  us_share: "US shares",
  crypto: "Crypto",
};
