import { connection } from "next/server";
import { Card } from "@/app/_components/card";
import { UptimeBars } from "@/app/_components/chart/uptime-bars";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { GrowingAge, Timestamp } from "@/app/_components/timestamp";
import { componentName, readStatusPage } from "@/lib/health/read-status-page";
import { paths } from "@/lib/paths";
import { Banner } from "./_parts/banner";
import { BriefFailureNotice } from "./_parts/brief-failure-notice";
import { IncidentList } from "./_parts/incident-list";
import { PostedIncidentList } from "./_parts/posted-incident-list";

export const metadata = {
  title: "Status",
  description: "Whether signals are delivered, now and in the last 90 days.",
};

/** Refresh interval of an open page. */
const FRESH_SECONDS = 30;

export default async function Status() {
  await connection();
  const { at, health, troubled, past } = await readStatusPage();
  const now = new Date();
  const open = past?.incidents.filter((incident) => incident.closedAt === null) ?? [];
  const ended = past?.incidents.filter((incident) => incident.closedAt !== null) ?? [];
  const openPosted = past?.posted.filter((incident) => incident.resolvedAt === null) ?? [];
  const resolved = past?.posted.filter((incident) => incident.resolvedAt !== null) ?? [];
  return (
    <div className="mx-auto max-w-4xl px-4 py-12 sm:px-6 lg:py-16" data-fresh={FRESH_SECONDS}>
      <PageHeader
        title="Status"
        lead={
          <>
            Checked <GrowingAge at={at} now={now} />. All times are UTC.
          </>
        }
      />
      <div className="space-y-6">
        <Banner health={health} troubled={troubled} posted={openPosted} />
        {past?.maintenances.map((maintenance) => (
          <Notice
            key={maintenance.id}
            title={maintenance.startsAt > at ? "Planned maintenance" : "Maintenance under way"}
          >
            <p>{maintenance.message}</p>
            <p className="mt-1">
              <Timestamp at={maintenance.startsAt} /> to <Timestamp at={maintenance.endsAt} />
            </p>
          </Notice>
        ))}
        {past && past.paused.length > 0 && (
          <Notice title="Paused by the operator">
            <ul>
              {past.paused.map(({ of, since, reason }) => (
                <li key={of}>
                  {of.charAt(0).toUpperCase() + of.slice(1)}, since <Timestamp at={since} />: {reason}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        {past && past.late.length > 0 && (
          <Notice tone="warn" title="Late signals">
            <ul>
              {past.late.map(({ of, since }) => (
                <li key={of}>
                  {of}:{" "}
                  {since === null ? (
                    "no signal yet"
                  ) : (
                    <>
                      newest signal from <Timestamp at={since} />
                    </>
                  )}
                </li>
              ))}
            </ul>
          </Notice>
        )}
        {openPosted.length > 0 && (
          <Card title="Reported by the operator" flush>
            <PostedIncidentList incidents={openPosted} now={at} />
          </Card>
        )}
        {open.length > 0 && (
          <Card
            title="Open incidents"
            lead={
              health.status === "ok" &&
              troubled?.length === 0 &&
              "Everything works at this moment. Incidents close after two consecutive successful checks, a minute apart."
            }
            flush
          >
            <IncidentList incidents={open} now={at} nameOf={componentName} />
          </Card>
        )}
        {past ? (
          <Card
            title="The last 90 days"
            lead="One bar per day. Full: no trouble; shorter: degraded; shortest: down; flat: not checked."
            flush
            footer={
              <>
                The service checks itself once a minute. Uptime is the share of minutes since the first check
                in which it was not down. Degraded counts as up. A minute in which the service did not run
                counts as down.
              </>
            }
          >
            <ul className="divide-y">
              {past.components.map((component) => (
                <li key={component.component} className="px-4 py-5 sm:px-6">
                  <UptimeBars component={component.name} days={component.days} />
                </li>
              ))}
            </ul>
          </Card>
        ) : (
          <Notice tone="warn" title="History is not available">
            The database does not respond. This page tries again automatically.
          </Notice>
        )}
        {past && (
          <Card
            title="Past incidents"
            flush
            lead="The service opens and closes incidents after two matching checks a minute apart. The operator can write others."
          >
            {resolved.length > 0 && (
              <div className="border-b">
                <PostedIncidentList incidents={resolved} now={at} />
              </div>
            )}
            {ended.length > 0 ? (
              <IncidentList incidents={ended} now={at} nameOf={componentName} />
            ) : (
              <p className="px-4 py-8 text-sm text-muted sm:px-6">None in the last 90 days.</p>
            )}
            <BriefFailureNotice brief={past.brief} />
          </Card>
        )}
        <Card title="For programs">
          <div className="flex flex-wrap items-center justify-between gap-4 text-sm text-muted">
            <p className="max-w-[52ch]">
              <code className="font-mono">GET /api/health</code> answers 200 or 503 for monitors. Incidents
              and maintenance are in the{" "}
              <a href={paths.statusFeed()} className="link">
                feed
              </a>{" "}
              (JSON Feed 1.1).
            </p>
            {/* biome-ignore lint/performance/noImgElement: a small SVG made by this site, shown as others would embed it */}
            <img
              src={paths.statusBadge()}
              alt={`Status badge: ${health.status}`}
              height={20}
              className="h-5"
            />
          </div>
        </Card>
      </div>
    </div>
  );
}
