import { Download } from "lucide-react";
import type { Metadata } from "next";
import { Button, LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber, formatShare } from "@/app/_components/figures";
import { TextArea } from "@/app/_components/form/text-area";
import { TextInput } from "@/app/_components/form/text-input";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { StatusPill } from "@/app/_components/status-pill";
import { formatInstant, formatSpan } from "@/app/_components/times";
import { RelativeTime } from "@/app/_components/timestamp";
import { db } from "@/db/client";
import { listAudit } from "@/db/queries/admin-audit";
import { readDatabaseFacts } from "@/db/queries/admin-overview";
import { listComingMaintenances } from "@/db/queries/incidents";
import { listJobRuns } from "@/db/queries/jobs";
import { describeConfiguration } from "@/lib/admin/describe-configuration";
import { adminPaths } from "@/lib/admin/paths";
import { takeAdminFlash } from "@/lib/auth/admin-flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { env } from "@/lib/env";
import { codeFigures, metricsSince, type RouteFigures, routeFigures } from "@/lib/metrics";
import { localLimiter } from "@/lib/rate-limit";
import { quotaStoreState } from "@/lib/shared-limiter/take-quota";
import { AuditTable } from "../../_parts/audit-table";
import { FactList } from "../../_parts/fact-list";
import { FlashNotice, formState } from "../../_parts/flash-notice";
import { writeBytes } from "../../_parts/write-bytes";

export const metadata: Metadata = { title: "Operations" };

type JobRun = Awaited<ReturnType<typeof listJobRuns>>[number];

/** How the machine does: requests, jobs, limits, configuration, audit. */
export default async function Operations() {
  const session = await requireAdminSession(adminPaths.operations());
  const now = new Date();
  const [jobs, database, maintenances, audit, flash] = await Promise.all([
    listJobRuns(db()),
    readDatabaseFacts(db()),
    listComingMaintenances(db(), now),
    listAudit(db(), {}, 10),
    takeAdminFlash(session.sessionId),
  ]);
  const routes = routeFigures(60, now.getTime());
  const requests = routes.reduce((sum, route) => sum + route.requests, 0);
  const errors = routes.reduce((sum, route) => sum + route.serverErrors, 0);
  const codes = [...codeFigures(60, now.getTime())].toSorted((a, b) => b[1] - a[1]);
  const store = quotaStoreState();
  const { values, errors: wrong } = formState(flash, "maintenance.announce");
  const upMinutes = (now.getTime() - metricsSince().getTime()) / 60_000;

  return (
    <>
      <PageHeader
        title="Operations"
        lead={`Requests of the last hour as this process saw them, up for ${formatSpan(upMinutes)}. The same counters stand at /metrics for Prometheus.`}
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <StatRow columns={4} label="This process">
          <Stat
            label="Requests, 1 h"
            value={formatNumber(requests)}
            note={`${formatNumber(requests / Math.max(1, Math.min(60, upMinutes)), 1)} a minute`}
          />
          <Stat
            label="Failed with 5xx"
            value={requests === 0 ? "0 %" : formatShare(errors / requests, 2)}
            note={`${formatNumber(errors)} answers`}
          />
          <Stat
            label="Memory"
            value={writeBytes(process.memoryUsage.rss())}
            note={`heap ${writeBytes(process.memoryUsage().heapUsed)}`}
          />
          <Stat
            label="Database"
            value={writeBytes(database.sizeBytes)}
            note={`${database.connections} of ${database.maxConnections} connections`}
          />
        </StatRow>

        <Card
          title="Routes, last hour"
          lead="By template; latencies are the upper edge of the bucket that holds the quantile."
          flush
        >
          <DataTable
            caption="Requests by route"
            columns={ROUTE_COLUMNS}
            rows={routes.filter((route) => route.requests > 0)}
            rowKey={(row) => row.route}
            empty={<EmptyState title="No request yet">Figures begin with the process.</EmptyState>}
          />
        </Card>

        <div className="grid gap-6 lg:grid-cols-2">
          <Card title="Refusals and errors, last hour" lead="Answers by the word of their error.">
            {codes.length === 0 ? (
              <p className="text-sm text-muted">None.</p>
            ) : (
              <FactList
                facts={codes.map(([code, n]) => ({
                  name: code.replaceAll("_", " "),
                  value: formatNumber(n),
                }))}
              />
            )}
          </Card>
          <Card
            title="Limiter"
            lead="Exact over any 60 seconds; falls back to this process when its store is away."
          >
            <FactList
              facts={[
                {
                  name: "Store",
                  value:
                    store === null ? (
                      "this process"
                    ) : (
                      <StatusPill
                        state={store.healthy ? "ok" : "down"}
                        label={
                          store.healthy
                            ? `Redis, ${store.latencyMs === null ? "not asked yet" : `${formatNumber(store.latencyMs, 1)} ms`}`
                            : "Away: this process counts"
                        }
                      />
                    ),
                },
                { name: "Identities remembered here", value: formatNumber(localLimiter().size) },
                {
                  name: "Requests refused, 1 h",
                  value: formatNumber(codeFigures().get("rate_limited") ?? 0),
                },
              ]}
            />
          </Card>
        </div>

        <Card title="Jobs" flush>
          <DataTable
            caption="Background jobs"
            columns={jobColumns(now)}
            rows={jobs}
            rowKey={(row) => row.job}
            empty={<EmptyState title="No job has run yet">The worker notes its runs here.</EmptyState>}
          />
        </Card>

        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Card title="Maintenance" lead="Announced on the status page until it is over.">
            {maintenances.length > 0 && (
              <ul className="mb-6 divide-y border-y text-sm">
                {maintenances.map((maintenance) => (
                  <li key={maintenance.id} className="flex flex-wrap items-center justify-between gap-3 py-3">
                    <div className="min-w-0">
                      <p className="font-medium">{maintenance.message}</p>
                      <p className="text-muted">
                        {formatInstant(maintenance.startsAt)} to {formatInstant(maintenance.endsAt)}
                      </p>
                    </div>
                    <form method="post" action={adminPaths.withdrawMaintenance(maintenance.id)}>
                      <Button type="submit" size="small" variant="quiet">
                        Withdraw
                      </Button>
                    </form>
                  </li>
                ))}
              </ul>
            )}
            <form method="post" action={adminPaths.announceMaintenance()} className="space-y-4">
              <div className="grid gap-4 sm:grid-cols-2">
                <TextInput
                  label="From, UTC"
                  name="starts_at"
                  type="datetime-local"
                  required
                  defaultValue={values.starts_at}
                  error={wrong.starts_at}
                />
                <TextInput
                  label="To, UTC"
                  name="ends_at"
                  type="datetime-local"
                  required
                  defaultValue={values.ends_at}
                  error={wrong.ends_at}
                />
              </div>
              <TextArea
                label="What readers are told"
                name="message"
                required
                maxLength={500}
                defaultValue={values.message}
                error={wrong.message}
                hint="What will not work, and what goes on working."
              />
              <Button type="submit">Announce</Button>
            </form>
          </Card>
          <Card title="Configuration in force" lead="Secrets are not shown, here or anywhere.">
            <FactList
              facts={describeConfiguration(env()).map(({ name, value }) => ({
                name,
                value: <span className="break-all">{value}</span>,
              }))}
            />
          </Card>
        </div>

        <Card
          title="Audit log"
          flush
          actions={
            <LinkButton size="small" href={adminPaths.audit()}>
              All of it
            </LinkButton>
          }
        >
          <AuditTable rows={audit} />
        </Card>

        <Card
          title="Export"
          lead="As CSV (RFC 4180, UTF-8), streamed, without keys. Each export leaves an audit row."
        >
          <div className="flex flex-wrap gap-2">
            {EXPORTS.map(({ what, label }) => (
              <LinkButton key={what} href={adminPaths.export(what)} download>
                <Download aria-hidden="true" />
                {label}
              </LinkButton>
            ))}
          </div>
        </Card>
      </div>
    </>
  );
}

const EXPORTS = [
  { what: "subscribers", label: "Subscribers" },
  { what: "executions", label: "Executions" },
  { what: "deliveries", label: "Payment deliveries" },
  { what: "audit", label: "Audit log" },
] as const;

const latency = (ms: number | null, requests: number) =>
  requests === 0 ? "–" : ms === null ? "> 2,500" : formatNumber(ms, ms < 10 ? 1 : 0);

const ROUTE_COLUMNS: Column<RouteFigures>[] = [
  {
    key: "route",
    header: "Route",
    primary: true,
    cell: (row) => <span className="font-mono text-xs break-all">{row.route}</span>,
  },
  { key: "n", header: "Requests", align: "right", cell: (row) => formatNumber(row.requests) },
  { key: "rate", header: "A minute", align: "right", cell: (row) => formatNumber(row.perMinute, 1) },
  {
    key: "errors",
    header: "5xx",
    align: "right",
    cell: (row) => (row.requests === 0 ? "–" : formatShare(row.serverErrors / row.requests, 1)),
  },
  { key: "p50", header: "p50", unit: "ms", align: "right", cell: (row) => latency(row.p50Ms, row.requests) },
  { key: "p95", header: "p95", unit: "ms", align: "right", cell: (row) => latency(row.p95Ms, row.requests) },
  { key: "p99", header: "p99", unit: "ms", align: "right", cell: (row) => latency(row.p99Ms, row.requests) },
];

function jobColumns(now: Date): Column<JobRun>[] {
  return [
    { key: "job", header: "Job", primary: true, cell: (row) => row.job },
    {
      key: "state",
      header: "Last run",
      cell: (row) =>
        row.lastErrorCode === null ? (
          <StatusPill state="ok" label="Done" />
        ) : (
          <StatusPill state="degraded" label={row.lastErrorCode} />
        ),
    },
    { key: "at", header: "Started", cell: (row) => <RelativeTime at={row.lastStartedAt} now={now} /> },
    {
      key: "took",
      header: "Took",
      align: "right",
      cell: (row) =>
        row.lastFinishedAt
          ? `${formatNumber(Math.max(0, row.lastFinishedAt.getTime() - row.lastStartedAt.getTime()))} ms`
          : "–",
    },
    { key: "runs", header: "Runs", align: "right", cell: (row) => formatNumber(row.nRuns) },
    { key: "errors", header: "Failed", align: "right", cell: (row) => formatNumber(row.nErrors) },
  ];
}
