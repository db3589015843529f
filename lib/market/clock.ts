import { MINUTE_MS } from "@/lib/time";
import type { ClockKind } from "@/lib/vocabulary";

/**
 * A clock on which times are shown or read: a time zone, and minutes to add to its wall clock. PostgreSQL groups a
 * subscriber's positions by day and hour with the same two values, so that the groups agree with the displayed times.
 */
export interface WallClock {
  kind: ClockKind;
  /** IANA name. */
  zone: string;
  addMinutes: number;
}

/** The default clock. */
export const UTC_CLOCK: WallClock = { kind: "utc", zone: "UTC", addMinutes: 0 };

/** A subscriber's stored choice of a clock. */
export interface ClockPreferences {
  clock?: ClockKind;
  timeZone?: string;
  /** Minutes by which the broker's clock is ahead of UTC. */
  brokerOffsetMinutes?: number;
}

/**
 * The clock of most brokers: seven hours ahead of New York (UTC+2 or UTC+3), so that their day ends at 17:00 New York.
 */
const NEW_YORK_CLOSE: WallClock = { kind: "broker", zone: "America/New_York", addMinutes: 420 };

/**
 * The clock of a broker's server by its name in feeds and in the command `ingest`: `utc`, `new_york` (seven hours ahead
 * of New York, as at most brokers), `europe` (Eastern European Time), or an offset such as `utc+2` or `utc-3:30`. Null
 * for any other name.
 */
export function brokerServerClock(name: string): WallClock | null {
  if (name === "utc") return UTC_CLOCK;
  if (name === "new_york") return NEW_YORK_CLOSE;
  if (name === "europe") return { kind: "broker", zone: "Europe/Athens", addMinutes: 0 };
  const [, sign, hours, minutes = "0"] = /^utc([+-])([0-9]{1,2})(?::([0-5][0-9]))?$/.exec(name) ?? [];
  if (hours === undefined || Number(hours) > 14) return null;
  const offset = Number(hours) * 60 + Number(minutes);
  return { kind: "broker", zone: "UTC", addMinutes: sign === "-" ? -offset : offset };
}

/**
 * The clock that a subscriber chose; UTC by default, and for a local clock without a time zone. A broker's clock
 * without an offset is 7 hours ahead of New York.
 */
export function clockOf(preferences: ClockPreferences): WallClock {
  if (preferences.clock === "local" && preferences.timeZone)
    return { kind: "local", zone: preferences.timeZone, addMinutes: 0 };
  if (preferences.clock === "broker") {
    return preferences.brokerOffsetMinutes === undefined
      ? NEW_YORK_CLOSE
      : { kind: "broker", zone: "UTC", addMinutes: preferences.brokerOffsetMinutes };
  }
  return UTC_CLOCK;
}

/** Whether a name is well formed and names a time zone that this runtime knows. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9+_\-/]{1,63}$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

function zoneOffsetMinutes(zone: string, at: Date): number {
  if (zone === "UTC") return 0;
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
    formats.set(zone, format);
  }
  const name = format.formatToParts(at).find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  const parts = /^GMT([+-])(\d{2}):(\d{2})/.exec(name);
  if (!parts) return 0;
  return (parts[1] === "-" ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3]));
}

/** By how many minutes the clock is ahead of UTC at an instant. */
function offsetMinutes(clock: WallClock, at: Date): number {
  return zoneOffsetMinutes(clock.zone, at) + clock.addMinutes;
}

/** A date whose UTC fields show what the clock shows at `at`. */
export function wallTime(clock: WallClock, at: Date): Date {
  return new Date(at.getTime() + offsetMinutes(clock, at) * MINUTE_MS);
}

/**
 * The instant at which a clock shows `wall`, a wall time in UTC fields. A time that is shown twice gives one of its two
 * instants; for a skipped time the clock shows another time at the result, usually an hour more or less.
 */
export function instantOf(clock: WallClock, wall: Date): Date {
  const guess = new Date(wall.getTime() - offsetMinutes(clock, wall) * MINUTE_MS);
  return new Date(wall.getTime() - offsetMinutes(clock, guess) * MINUTE_MS);
}

/** A clock's offset at an instant, to be shown next to times: `UTC`, `UTC+2`, `UTC−3:30`. */
export function clockOffsetLabel(clock: WallClock, at: Date): string {
  const minutes = offsetMinutes(clock, at);
  if (minutes === 0) return "UTC";
  const hours = Math.floor(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? "−" : "+"}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
}
