import { UTC_CLOCK, type WallClock, wallTime } from "@/lib/market/clock";
import { invalidField } from "@/lib/wire/errors";

export interface QuietHours {
  quietFrom: number | null;
  quietTo: number | null;
}

/**
 * Throws 422 for the field `quiet_to` if only one of the hours is set, or if both are equal, which would mean no quiet
 * hour.
 */
export function requireValidQuietHours({ quietFrom, quietTo }: QuietHours): void {
  if ((quietFrom === null) !== (quietTo === null))
    throw invalidField("body", "quiet_to", "needs both hours, or none");
  if (quietFrom !== null && quietFrom === quietTo)
    throw invalidField("body", "quiet_to", "must differ from the first hour");
}

/**
 * Whether an instant is in the quiet hours, which are hours of the time zone `zone` (default: UTC) and may span
 * midnight.
 */
export function isQuietAt(hours: QuietHours, zone: string | null | undefined, at: Date): boolean {
  const clock: WallClock = zone && zone !== "UTC" ? { kind: "local", zone, addMinutes: 0 } : UTC_CLOCK;
  return isQuietHour({ from: hours.quietFrom, to: hours.quietTo }, wallTime(clock, at).getUTCHours());
}

/** Whether an hour is in the quiet hours. */
export function isQuietHour(hours: { from: number | null; to: number | null }, hour: number): boolean {
  const { from, to } = hours;
  if (from === null || to === null || from === to) return false;
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}
