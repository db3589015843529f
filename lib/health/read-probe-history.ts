import { db } from "@/db/client";
import { findFirstProbe, listProbeDays, type ProbeDay } from "@/db/queries/uptime";
import { processWide } from "../process-wide";
import { startOfDay, startOfMinute } from "./uptime";

const DAYS = 90;
const DAY_MS = 86_400_000;

/** What the uptime of the last 90 days is worked out from. */
export interface ProbeHistory {
  /** Minute of the first probe ever, or null before any. */
  firstProbeAt: Date | null;
  days: ProbeDay[];
}

/**
 * The probes of the last 90 UTC days by day. Days that are over do not change and hold 130,000 rows: they are read
 * once per day and process, today's at each call.
 */
export async function readProbeHistory(now: Date): Promise<ProbeHistory> {
  const today = startOfDay(now);
  const since = new Date(today.getTime() - (DAYS - 1) * DAY_MS);
  const held = processWide<{ dayMs: number; past: Promise<ProbeHistory> | null }>("probe-history", () => ({
    dayMs: 0,
    past: null,
  }));
  if (held.past === null || held.dayMs !== today.getTime()) {
    const reading = readPast(since, today);
    held.dayMs = today.getTime();
    held.past = reading;
    reading.catch(() => {
      if (held.past === reading) held.past = null;
    });
  }
  const [past, days] = await Promise.all([
    held.past,
    // Only minutes that are over are judged: a probe of the running one would stand in for one that is missing.
    listProbeDays(db(), today, startOfMinute(now)),
  ]);
  const earliest =
    past.firstProbeAt ?? days.map((day) => day.firstAt).sort((a, b) => a.getTime() - b.getTime())[0];
  return { firstProbeAt: earliest ?? null, days: [...past.days, ...days] };
}

async function readPast(since: Date, today: Date): Promise<ProbeHistory> {
  const [firstProbeAt, days] = await Promise.all([findFirstProbe(db()), listProbeDays(db(), since, today)]);
  return { firstProbeAt, days };
}
