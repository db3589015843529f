import { STAGE_LABELS } from "@/app/_components/incident-updates";
import type { IncidentUpdateRow } from "@/db/queries/incidents";
import { formatReason, formatReasons } from "@/lib/health/health-reason";
import { componentName, readStatusPage } from "@/lib/health/read-status-page";
import { paths } from "@/lib/paths";
import { brand } from "@/lib/runtime/brand";
import { env } from "@/lib/runtime/env";
import { writeInstant } from "@/lib/wire/json";

export const dynamic = "force-dynamic";

const writtenUpdate = ({ at, stage, message }: IncidentUpdateRow) =>
  `${writeInstant(at)} ${STAGE_LABELS[stage]}: ${message}`;

const written = (updates: readonly IncidentUpdateRow[]) => updates.map(writtenUpdate).join("\n");

/** GET /status/feed.json: incidents and maintenance as JSON Feed 1.1; `_status` is the current state. */
export async function GET(): Promise<Response> {
  const { at, health, past } = await readStatusPage();
  const page = `${env().baseUrl}${paths.status()}`;
  const incidents = (past?.incidents ?? []).map((incident) => ({
    id: `incident-${incident.id}`,
    url: page,
    title: `${componentName(incident.component)} ${incident.severity}`,
    content_text: [
      incident.reasons.map(formatReason).join("; ") || "No reason was recorded.",
      ...incident.updates.map(writtenUpdate),
    ].join("\n"),
    date_published: writeInstant(incident.openedAt),
    ...(incident.closedAt ? { date_modified: writeInstant(incident.closedAt) } : {}),
    _incident: {
      component: incident.component,
      severity: incident.severity,
      opened_at: writeInstant(incident.openedAt),
      closed_at: incident.closedAt && writeInstant(incident.closedAt),
    },
  }));
  const posted = (past?.posted ?? []).map((incident) => ({
    id: `posted-incident-${incident.id}`,
    url: page,
    title: incident.title,
    content_text: written(incident.updates),
    date_published: writeInstant(incident.openedAt),
    date_modified: writeInstant(incident.updates.at(-1)?.at ?? incident.openedAt),
    _incident: {
      component: null,
      severity: incident.severity,
      opened_at: writeInstant(incident.openedAt),
      closed_at: incident.resolvedAt && writeInstant(incident.resolvedAt),
    },
  }));
  const maintenances = (past?.maintenances ?? []).map((maintenance) => ({
    id: `maintenance-${maintenance.id}`,
    url: page,
    title: "Planned maintenance",
    content_text: maintenance.message,
    date_published: writeInstant(maintenance.createdAt),
    _maintenance: {
      starts_at: writeInstant(maintenance.startsAt),
      ends_at: writeInstant(maintenance.endsAt),
    },
  }));
  const feed = {
    version: "https://jsonfeed.org/version/1.1",
    title: `${brand().name}: status`,
    home_page_url: page,
    feed_url: `${env().baseUrl}${paths.statusFeed()}`,
    _status: {
      as_of: writeInstant(at),
      status: health.status,
      reasons: formatReasons(health.reasons),
      uptime_pct_90d: Object.fromEntries(
        (past?.components ?? []).map(({ component, uptimePct }) => [
          component,
          uptimePct && Math.round(uptimePct * 1000) / 1000,
        ]),
      ),
    },
    items: [...maintenances, ...posted, ...incidents],
  };
  return Response.json(feed, {
    headers: {
      "Content-Type": "application/feed+json; charset=utf-8",
      "Cache-Control": "public, max-age=30",
      "Access-Control-Allow-Origin": "*",
    },
  });
}
