import { db } from "@/db/client";
import { findFirstProbe, listProbeDays, type ProbeDay } from "@/db/queries/uptime";
import { startOfDay } from "./uptime";

const DAYS = 90;
const DAY_MS = 86_400_000;

/** What the uptime of the last 90 days is worked out from. */
export interface ProbeHistory {
  /** Minute of the first probe ever, or null before any. */
  firstProbeAt: Date | null;
  days: ProbeDay[];
}

/** The probes of the last 90 UTC days by day, today's included. */
export async function readProbeHistory(now: Date): Promise<ProbeHistory> {
  const today = startOfDay(now).getTime();
  const [firstProbeAt, days] = await Promise.all([
    findFirstProbe(db()),
    listProbeDays(db(), new Date(today - (DAYS - 1) * DAY_MS), new Date(today + DAY_MS)),
  ]);
  return { firstProbeAt, days };
}
