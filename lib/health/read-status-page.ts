import { db } from "@/db/client";
import {
  type IncidentRow,
  type IncidentUpdateRow,
  listIncidents,
  listIncidentUpdates,
  listPostedIncidents,
  listUnfinishedMaintenances,
  type MaintenanceRow,
  type PostedIncidentRow,
} from "@/db/queries/incidents";
import { listOpenPauses } from "@/db/queries/pauses";
import { WHOLE_SERVICE } from "@/db/queries/uptime";
import { describePauseTarget } from "@/lib/access/pauses";
import type { ServiceHealthReason, SlotsAssessment } from "@/lib/market/assess-slots";
import { bestEffort } from "@/lib/runtime/best-effort";
import { memo } from "@/lib/runtime/memo";
import { withDeadline } from "@/lib/runtime/unavailable";
import { DAY_MS, startOfUtcDay } from "@/lib/time";
import type { IncidentSeverity } from "@/lib/vocabulary";
import { type BriefFailure, briefFailures } from "./brief-failures";
import { parseReason } from "./health-reason";
import { listLateOperatorModels } from "./late-operator-models";
import { readAssessment } from "./read-health";
import { readProbeHistory } from "./read-probe-history";
import { readServiceState } from "./service-state";
import { observationStart, UPTIME_DAYS, type UptimeDay, uptimeDays, uptimePct } from "./uptime";

/** How long, in ms, visitors share one reading of the page. The health in it may be a second older. */
const SHARED_FOR_MS = 2_000;
const DEADLINE_MS = 1_500;
const INCIDENTS = 50;

/** Display names of the components on the status page, in their order. */
const NAMES: ReadonlyMap<string, string> = new Map([
  [WHOLE_SERVICE, "Signal delivery"],
  ["database", "Database"],
  ["predictions", "Signals"],
  ["candles", "Market data"],
  ["live", "Live updates"],
  ["worker", "Scheduled jobs"],
  ["mail", "E-mail"],
  ["webhooks", "Webhooks"],
  ["telegram", "Telegram"],
  ["rate_limit", "Request limits"],
]);

/** A component's display name; its technical name if it has none. */
export const componentName = (component: string): string => NAMES.get(component) ?? component;

/** An incident with its parsed reasons. */
export type Incident = Omit<IncidentRow, "reasons"> & {
  reasons: ServiceHealthReason[];
  /** Oldest first. */
  updates: IncidentUpdateRow[];
};

/** An incident written by an administrator, with its updates, oldest first. */
export type PostedIncident = PostedIncidentRow & { updates: IncidentUpdateRow[] };

export interface StatusPage {
  /** Time of the check. */
  at: Date;
  health: SlotsAssessment;
  /**
   * Components that are not ok, each with its state and reason. null: they or the history could not be read, so the
   * state is unknown unless `health` is worse than ok.
   */
  troubled: { component: string; name: string; status: IncidentSeverity; reason: string | null }[] | null;
  /** null: the database does not answer, so the history is unavailable. */
  past: {
    components: { component: string; name: string; days: UptimeDay[]; uptimePct: number | null }[];
    /** Days with failed minutes that no incident explains, newest first. */
    brief: BriefFailure[];
    incidents: Incident[];
    /** Incidents written by administrators, newest first. */
    posted: PostedIncident[];
    maintenances: MaintenanceRow[];
    /** What the operator has paused (`of`: all signals, a symbol or a slot), since when and why. */
    paused: { of: string; since: Date; reason: string }[];
    /** Slots whose champion is the operator's own model and overdue, with the close of its newest signal's candle. */
    late: { of: string; since: Date | null }[];
  } | null;
}

/** The content of the status page and its feed. Works without a database. */
export const readStatusPage = memo("status-page", { ttlMs: SHARED_FOR_MS }, async (): Promise<StatusPage> => {
  const now = new Date();
  const [{ assessment: health }, parts, past] = await Promise.all([
    readAssessment(),
    bestEffort(withDeadline(readParts(now), DEADLINE_MS), null),
    bestEffort(withDeadline(readPast(now), DEADLINE_MS), null),
  ]);
  return { at: now, health, troubled: past && parts, past };
});

async function readParts(now: Date): Promise<StatusPage["troubled"]> {
  const { components } = await readServiceState(now);
  return components.flatMap(({ name, status, reason }) =>
    status === "ok" ? [] : [{ component: name, name: componentName(name), status, reason }],
  );
}

async function readPast(now: Date): Promise<StatusPage["past"]> {
  const since = new Date(startOfUtcDay(now).getTime() - (UPTIME_DAYS - 1) * DAY_MS);
  const [{ firstProbeAt, days: probeDays }, said, maintenances, pauses, lateModels] = await Promise.all([
    readProbeHistory(now),
    readIncidents(since),
    listUnfinishedMaintenances(db(), now),
    listOpenPauses(db()),
    listLateOperatorModels(db(), now),
  ]);
  const seen = new Set([WHOLE_SERVICE, ...probeDays.map((row) => row.component)]);
  const order = [...NAMES.keys()];
  const components = [...seen]
    .sort((a, b) => (order.indexOf(a) + 1 || order.length + 1) - (order.indexOf(b) + 1 || order.length + 1))
    .map((component) => {
      const days = uptimeDays(
        probeDays,
        component,
        observationStart(probeDays, component, firstProbeAt),
        now,
        UPTIME_DAYS,
      );
      return { component, name: componentName(component), days, uptimePct: uptimePct(days) };
    });
  const paused = pauses.map((pause) => ({
    of: describePauseTarget(pause),
    since: pause.startedAt,
    reason: pause.reason,
  }));
  const brief = briefFailures(components, said.incidents, now);
  const late = lateModels
    .filter(({ isShown }) => isShown)
    .map(({ symbol, timeframe, lastCloseAt }) => ({ of: `${symbol} ${timeframe}`, since: lastCloseAt }));
  return { components, brief, ...said, maintenances, paused, late };
}

/**
 * The newest 50 detected incidents and the newest 50 posted by administrators that are open or were opened since, with
 * their updates.
 */
export async function readIncidents(
  since: Date,
): Promise<{ incidents: Incident[]; posted: PostedIncident[] }> {
  const [rows, postedRows] = await Promise.all([
    listIncidents(db(), since, INCIDENTS),
    listPostedIncidents(db(), since, INCIDENTS),
  ]);
  const updates = await listIncidentUpdates(db(), {
    incidentIds: rows.map(({ id }) => id),
    postedIds: postedRows.map(({ id }) => id),
  });
  return {
    incidents: rows.map((row) => ({
      ...row,
      reasons: row.reasons.map(parseReason),
      updates: updates.filter(({ incidentId }) => incidentId === row.id),
    })),
    posted: postedRows.map((row) => ({
      ...row,
      updates: updates.filter(({ postedId }) => postedId === row.id),
    })),
  };
}
