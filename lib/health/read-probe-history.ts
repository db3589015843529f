import { db } from "@/db/client";
import {
  findFirstProbeMinute,
  findProbe,
  listProbeDays,
  type MinuteProbe,
  type ProbeDay,
  WHOLE_SERVICE,
} from "@/db/queries/uptime";
import { DAY_MS, startOfUtcDay } from "@/lib/time";
import { startOfMinute, UPTIME_DAYS } from "./uptime";

/** Probes for the uptime of the last `UPTIME_DAYS`. */
export interface ProbeHistory {
  /** Minute of the oldest stored probe; null: none. */
  firstProbeAt: Date | null;
  days: ProbeDay[];
}

/**
 * Numbers of probes in the last `UPTIME_DAYS` UTC days, today included, by component and day. Only completed minutes
 * count, because a probe of the current minute would compensate for a missing one.
 */
export async function readProbeHistory(now: Date): Promise<ProbeHistory> {
  const today = startOfUtcDay(now).getTime();
  const [firstProbeAt, days, running] = await Promise.all([
    findFirstProbeMinute(db()),
    listProbeDays(db(), new Date(today - (UPTIME_DAYS - 1) * DAY_MS), new Date(today + DAY_MS)),
    findProbe(db(), startOfMinute(now)),
  ]);
  const counted = days.map((day) =>
    running !== null && day.date.getTime() === today ? without(running, day) : day,
  );
  return { firstProbeAt, days: counted.filter((day) => day.rows > 0) };
}

function without(probe: MinuteProbe, day: ProbeDay): ProbeDay {
  const state = day.component === WHOLE_SERVICE ? probe.status : probe.components[day.component];
  if (state === undefined) return day;
  return {
    ...day,
    rows: day.rows - 1,
    down: day.down - (state === "down" ? 1 : 0),
    degraded: day.degraded - (state === "degraded" ? 1 : 0),
  };
}
