import type { ProbeDay } from "@/db/queries/uptime";
import { DAY_MS, MINUTE_MS, startOfUtcDay } from "@/lib/time";

/** Days of uptime on the status page and in its feed. */
export const UPTIME_DAYS = 90;

/** One UTC day of a component: observed minutes, and how many of them were degraded or down. */
export interface UptimeDay {
  date: Date;
  observedMinutes: number;
  downMinutes: number;
  degradedMinutes: number;
}

/**
 * Start of a component's observation: `firstProbeAt`, or the component's first probe in `probeDays` if other components
 * have an earlier one there. `firstProbeAt` is the oldest stored probe; `probeDays` may begin after it.
 */
export function observationStart(
  probeDays: readonly ProbeDay[],
  component: string,
  firstProbeAt: Date | null,
): Date | null {
  const earliest = (rows: readonly ProbeDay[]) => Math.min(...rows.map((row) => row.firstAt.getTime()));
  const own = earliest(probeDays.filter((row) => row.component === component));
  return own > earliest(probeDays) && Number.isFinite(own) ? new Date(own) : firstProbeAt;
}

export const startOfMinute = (at: Date): Date => new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);

/**
 * The last `days` UTC days up to the last full minute before `now`, oldest first. From `firstProbeAt` on, a minute
 * without a probe of the component counts as down; before it nothing is observed. `probeDays` must hold the probes of
 * those minutes, without the current minute.
 */
export function uptimeDays(
  probeDays: readonly ProbeDay[],
  component: string,
  firstProbeAt: Date | null,
  now: Date,
  days: number,
): UptimeDay[] {
  const byDate = new Map(
    probeDays.filter((row) => row.component === component).map((row) => [row.date.getTime(), row]),
  );
  const until = startOfMinute(now).getTime();
  const today = startOfUtcDay(now).getTime();
  return Array.from({ length: days }, (_, index) => {
    const start = today - (days - 1 - index) * DAY_MS;
    const from = Math.max(start, firstProbeAt?.getTime() ?? Number.POSITIVE_INFINITY);
    const observedMinutes = Math.max(0, (Math.min(start + DAY_MS, until) - from) / MINUTE_MS);
    const row = byDate.get(start);
    const missing = Math.max(0, observedMinutes - (row?.rows ?? 0));
    return {
      date: new Date(start),
      observedMinutes,
      downMinutes: missing + (row?.down ?? 0),
      degradedMinutes: row?.degraded ?? 0,
    };
  });
}

/** 100 x minutes not down / minutes observed, 0..100; null if nothing was observed. `degraded` counts as up. */
export function uptimePct(days: readonly UptimeDay[]): number | null {
  const observed = days.reduce((sum, day) => sum + day.observedMinutes, 0);
  const down = days.reduce((sum, day) => sum + day.downMinutes, 0);
  return observed === 0 ? null : (100 * (observed - down)) / observed;
}
