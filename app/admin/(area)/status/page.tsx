import type { Metadata } from "next";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { PageHeader } from "@/app/_components/page-header";
import { FlashNotice, formState } from "@/app/admin/_components/flash-notice";
import { db } from "@/db/client";
import { listUnfinishedMaintenances } from "@/db/queries/incidents";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { componentName, readIncidents } from "@/lib/health/read-status-page";
import { adminPaths, paths } from "@/lib/paths";
import { addDays } from "@/lib/time";
import { MaintenanceCard } from "./_components/maintenance-card";
import { OpenIncident } from "./_components/open-incident";
import { PastIncidents } from "./_components/past-incidents";
import { WriteIncidentCard } from "./_components/write-incident-card";

export const metadata: Metadata = { title: "Status page" };

const SHOWN_DAYS = 30;

/** The content of the public status page: written and automatic incidents, and maintenance. */
export default async function StatusPageOfOperator() {
  const session = await requireAdminSession(adminPaths.statusPage());
  const now = new Date();
  const [{ incidents, posted }, maintenances, flash] = await Promise.all([
    readIncidents(addDays(now, -SHOWN_DAYS)),
    listUnfinishedMaintenances(db(), now),
    consumeFlash(db(), session.sessionId),
  ]);
  const update = formState(flash, "incident.update");
  const open = [
    ...posted
      .filter(({ resolvedAt }) => resolvedAt === null)
      .map((incident) => ({ ...incident, ref: `posted/${incident.id}`, isAutomatic: false, reasons: [] })),
    ...incidents
      .filter(({ closedAt }) => closedAt === null)
      .map((incident) => ({
        ...incident,
        ref: `incident/${incident.id}`,
        title: componentName(incident.component),
        isAutomatic: true,
      })),
  ];
  return (
    <>
      <PageHeader
        title="Status page"
        lead="Incidents and maintenance as visitors see them. The service opens incidents automatically; write one for what its checks cannot see."
        actions={<LinkButton href={paths.status()}>Open the status page</LinkButton>}
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <Card title="Open incidents" flush>
          {open.length === 0 ? (
            <p className="px-4 py-6 text-sm text-muted sm:px-6">None.</p>
          ) : (
            <ul className="divide-y">
              {open.map((incident) => (
                <OpenIncident
                  key={incident.ref}
                  incident={incident}
                  form={update.values.incident === incident.ref ? update : formState(null, "")}
                />
              ))}
            </ul>
          )}
        </Card>
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <WriteIncidentCard
            form={formState(flash, "incident.post")}
            newestShown={Math.max(0, ...posted.map(({ id }) => id))}
          />
          <MaintenanceCard maintenances={maintenances} form={formState(flash, "maintenance.announce")} />
        </div>
        <PastIncidents
          days={SHOWN_DAYS}
          incidents={[
            ...posted.flatMap(({ id, title, openedAt, resolvedAt, updates }) =>
              resolvedAt ? [{ key: `posted/${id}`, title, openedAt, endedAt: resolvedAt, updates }] : [],
            ),
            ...incidents.flatMap(({ id, component, openedAt, closedAt, updates }) =>
              closedAt
                ? [
                    {
                      key: `incident/${id}`,
                      title: componentName(component),
                      openedAt,
                      endedAt: closedAt,
                      updates,
                    },
                  ]
                : [],
            ),
          ].toSorted((a, b) => b.openedAt.getTime() - a.openedAt.getTime())}
        />
      </div>
    </>
  );
}
