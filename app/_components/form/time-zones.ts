import { isTimeZone } from "@/lib/market/clock";

/** Zones that JavaScript lists under a former name of their city. */
const PRESENT_NAMES: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Godthab": "America/Nuuk",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/** A time zone as people read it, under the present name of its city: "Asia/Ho Chi Minh". */
export function timeZoneTitle(zone: string): string {
  return (PRESENT_NAMES[zone] ?? zone).replaceAll("_", " ");
}

/** All time zones for a select, by title; UTC first. */
export function timeZoneOptions(): { value: string; label: string }[] {
  const zones = Intl.supportedValuesOf("timeZone")
    .filter((zone) => zone !== "UTC")
    .map((zone) => ({ value: zone, label: timeZoneTitle(zone) }));
  return [{ value: "UTC", label: "UTC" }, ...zones.sort((a, b) => a.label.localeCompare(b.label, "en"))];
}

/**
 * The option of a stored or entered time zone. Browsers differ in the name that they send for the device: Firefox says
 * Asia/Kolkata where Node lists Asia/Calcutta. Without a matching option, saving the form would clear the zone.
 */
export function timeZoneOptionValue(zone: string): string {
  if (!isTimeZone(zone)) return zone;
  return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
}
