const HOUR_MS = 3_600_000;

function nthSunday(year: number, month: number, nth: number): number {
  const firstWeekday = new Date(Date.UTC(year, month, 1)).getUTCDay();
  return 1 + ((7 - firstWeekday) % 7) + 7 * (nth - 1);
}

/** New York hour of day (0..23) of an instant in epoch milliseconds, daylight saving by the US rule since 2007. */
export function newYorkHour(at: number | Date): number {
  const ms = Number(at);
  const year = new Date(ms).getUTCFullYear();
  const summerStart = Date.UTC(year, 2, nthSunday(year, 2, 2), 7);
  const summerEnd = Date.UTC(year, 10, nthSunday(year, 10, 1), 6);
  const offset = ms >= summerStart && ms < summerEnd ? 4 : 5;
  return Math.floor((ms / HOUR_MS - offset) % 24);
}
