import { type Clock, UTC_CLOCK, wallTime } from "@/lib/market/clock";

export interface QuietHours {
  quietFrom: number | null;
  quietTo: number | null;
}

/** Whether an instant is in the quiet hours of a time zone; they may span midnight. */
export function isQuietAt(hours: QuietHours, zone: string | null | undefined, at: Date): boolean {
  const clock: Clock = zone && zone !== "UTC" ? { kind: "local", zone, addMinutes: 0 } : UTC_CLOCK;
  return isQuiet({ from: hours.quietFrom, to: hours.quietTo }, wallTime(clock, at).getUTCHours());
}

/** Whether an hour is in the quiet hours. */
export function isQuiet(hours: { from: number | null; to: number | null }, hour: number): boolean {
  const { from, to } = hours;
  if (from === null || to === null || from === to) return false;
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}
