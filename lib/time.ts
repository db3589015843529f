/** Durations, arithmetic of instants, their parsing, and time limits. Every module may import it. */

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

export const addMs = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
export const addMinutes = (at: Date, minutes: number): Date => addMs(at, minutes * MINUTE_MS);
export const addHours = (at: Date, hours: number): Date => addMs(at, hours * HOUR_MS);
/** Days of 24 hours. */
export const addDays = (at: Date, days: number): Date => addMs(at, days * DAY_MS);

/** Minutes from one instant to another, with fractions; negative if `to` is earlier. */
export const minutesBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / MINUTE_MS;

/** Midnight UTC of the day of `at`. */
export const startOfUtcDay = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);

/** The later of two instants; a missing one is ignored. */
export function laterInstant(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

const MIN_YEAR = 1970;
const MAX_YEAR = 2100;
const EARLIEST_MS = Date.UTC(MIN_YEAR, 0, 1);
/** The last millisecond of the year 2100: the latest instant that is parsed. */
export const LATEST_INSTANT_MS = Date.UTC(MAX_YEAR + 1, 0, 1) - 1;

/** Source of a regular expression for a time of day, from hours to fractions of a second, with named groups. */
export const TIME_OF_DAY_PATTERN = String.raw`(?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?`;
const ZONE = String.raw`(?<zone>Z|(?<sign>[+-])(?<zoneHour>\d{2})(?::?(?<zoneMinute>\d{2}))?)?`;
export const ISO_INSTANT_PATTERN = new RegExp(
  String.raw`^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[T ]${TIME_OF_DAY_PATTERN}${ZONE}$`,
);

/**
 * The instant of the named groups of ISO_INSTANT_PATTERN, or of a date and TIME_OF_DAY_PATTERN. null if no such date or
 * time exists, or if it lies outside 1970..2100.
 */
export function instantOfParts(groups: Record<string, string | undefined>): Date | null {
  const number = (name: string) => Number(groups[name] ?? 0);
  const year = number("year");
  const month = number("month");
  const day = number("day");
  if (year < MIN_YEAR || year > MAX_YEAR || month < 1 || month > 12 || day < 1) return null;
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null;
  if (number("hour") > 23 || number("minute") > 59 || number("second") > 59) return null;
  if (number("zoneHour") > 23 || number("zoneMinute") > 59) return null;

  const milliseconds = Number((groups.fraction ?? "").slice(0, 3).padEnd(3, "0"));
  const aheadMinutes = (groups.sign === "-" ? -1 : 1) * (number("zoneHour") * 60 + number("zoneMinute"));
  const atMs = Date.UTC(
    year,
    month - 1,
    day,
    number("hour"),
    number("minute") - aheadMinutes,
    number("second"),
    milliseconds,
  );
  return atMs < EARLIEST_MS || atMs > LATEST_INSTANT_MS ? null : new Date(atMs);
}

/**
 * Parses `YYYY-MM-DDTHH:MM[:SS[.fff]]` with `Z`, an offset (`+02:00`, `+0200`, `+02`) or nothing, which means UTC; a
 * blank may replace the `T`. null for anything else, and for dates that do not exist or lie outside 1970..2100.
 */
export function parseIsoInstant(text: string): Date | null {
  const groups = ISO_INSTANT_PATTERN.exec(text.trim())?.groups;
  return groups ? instantOfParts(groups) : null;
}

const TICK_MS = 50;

/**
 * Calls `done` after `ms` milliseconds, counted in timer ticks of 50 ms; the returned function cancels it. A delayed
 * tick also counts 50 ms, so that a busy process does not mistake an answer that it has not read yet for silence.
 */
export function afterTimerTicks(ms: number, done: () => void): () => void {
  let leftMs = ms;
  const timer = setInterval(() => {
    leftMs -= TICK_MS;
    if (leftMs > 0) return;
    clearInterval(timer);
    setImmediate(done);
  }, TICK_MS);
  return () => clearInterval(timer);
}

/** An instant to the minute, such as `2026-11-30 02:20 UTC`. */
export const minuteInUtc = (at: Date): string => `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;

/**
 * Queues `work` in `line` and returns its result. Rejects with `tooLate()` if `work` has not begun within `waitMs`;
 * then it never runs. If its turn came in time and only this process was busy, `work` still runs.
 */
export function withQueueTimeout<T>(
  line: (step: () => Promise<void>) => Promise<void>,
  waitMs: number,
  tooLate: () => Error,
  work: () => Promise<T>,
): Promise<T> {
  return new Promise<T>((done, fail) => {
    let state: "waiting" | "running" | "late" = "waiting";
    const timer = setTimeout(
      () =>
        setImmediate(() => {
          if (state !== "waiting") return;
          state = "late";
          fail(tooLate());
        }),
      waitMs,
    );
    void line(async () => {
      if (state === "late") return;
      state = "running";
      clearTimeout(timer);
      const running = async () => work();
      await running().then(done, fail);
    });
  });
}
