import { Download } from "lucide-react";
import type { Metadata } from "next";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { FactList } from "@/app/_components/fact-list";
import { countWithNoun, formatNumber, formatShare } from "@/app/_components/figures";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { formatSpan } from "@/app/_components/times";
import { ActionLink } from "@/app/admin/_components/action-controls";
import { FlashNotice } from "@/app/admin/_components/flash-notice";
import { formatBytes } from "@/app/admin/_components/format-bytes";
import { db } from "@/db/client";
import { listAudit } from "@/db/queries/audit";
import { readDatabaseStatus } from "@/db/queries/database-status";
import { readReencryptionState } from "@/db/queries/encrypted-values";
import { listLastJobRuns } from "@/db/queries/jobs";
import { readRetentionState } from "@/db/queries/retention";
import { readReplicaState } from "@/db/replica";
import { namesOfReleases } from "@/lib/admin/attention";
import {
  describeConfiguration,
  describeReadReplica,
  describeReencryption,
} from "@/lib/admin/describe-configuration";
import { describeRetention } from "@/lib/admin/describe-retention";
import { readSchemaAndBackupState, type SchemaState } from "@/lib/admin/read-schema-and-backup-state";
import { consumeFlash } from "@/lib/auth/flash";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { env } from "@/lib/runtime/env";
import { serverFigures } from "@/lib/runtime/metrics";
import { API_VERSION } from "@/lib/runtime/version";
import { cachedSetting } from "@/lib/settings/cached-settings";
import { MINUTE_MS } from "@/lib/time";
import { AuditTable } from "./_components/audit-table";
import { BackupCard } from "./_components/backup-card";
import { JobCard } from "./_components/job-card";
import { LimiterCard } from "./_components/limiter-card";
import { RetentionCard } from "./_components/retention-card";
import { RouteCard } from "./_components/route-card";

export const metadata: Metadata = { title: "Operations" };

export default async function Operations() {
  const session = await requireAdminSession(adminPaths.operations());
  const now = new Date();
  const [jobs, database, { schema, backup }, audit, flash, retention, reseal, replica, figures] =
    await Promise.all([
      listLastJobRuns(db()),
      readDatabaseStatus(db()),
      readSchemaAndBackupState(now),
      listAudit(db(), {}, 10),
      consumeFlash(db(), session.sessionId),
      readRetentionState(db()),
      readReencryptionState(db()),
      readReplicaState(),
      serverFigures(60, now.getTime()),
    ]);
  const { routes } = figures;
  const requests = routes.reduce((sum, route) => sum + route.requests, 0);
  // A health check answers 503 while signals are late: that is its result, not a failure. The alert leaves it out too.
  const errors = routes
    .filter(({ route }) => !route.startsWith("/api/health"))
    .reduce((sum, route) => sum + route.serverErrors, 0);
  const codes = [...figures.codes].toSorted((a, b) => b[1] - a[1]);
  const sealed = describeReencryption(env(), reseal);
  const release = [
    { name: "Version", value: `${API_VERSION}, Node ${process.versions.node}` },
    { name: "Other releases", value: describeOtherReleases(database.otherReleases) },
    { name: "Schema", value: SCHEMA_LABELS[schema.state](schema) },
  ];
  const configuration = [
    ...release,
    ...describeConfiguration(env()),
    describeReadReplica(replica),
    sealed,
  ].filter((entry) => entry !== null);
  const upMinutes = (now.getTime() - figures.since.getTime()) / MINUTE_MS;

  return (
    <>
      <PageHeader
        title="Operations"
        lead={`Requests of this server in the last hour; it has been up for ${formatSpan(upMinutes)}. Prometheus reads the same counters at /metrics.`}
      />
      <FlashNotice flash={flash} />
      <div className="space-y-6">
        <StatRow columns={4} label="This server">
          <Stat
            label="Requests, 1 h"
            value={formatNumber(requests)}
            note={`${formatNumber(requests / Math.max(1, Math.min(60, upMinutes)), 1)} a minute`}
          />
          <Stat
            label="Failed with 5xx"
            value={requests === 0 ? "–" : formatShare(errors / requests, 2)}
            note={`${countWithNoun(errors, "answer")}, without health checks`}
          />
          <Stat label="Memory" value={formatBytes(figures.rssBytes)} note="web and page processes" />
          <Stat
            label="Database"
            value={formatBytes(database.sizeBytes)}
            note={`${database.connections} of ${database.maxConnections} connections`}
          />
        </StatRow>

        <BackupCard {...backup} />

        <RouteCard routes={routes.filter((route) => route.requests > 0)} />

        <div className="grid gap-6 lg:grid-cols-2">
          <Card title="Errors, last hour" lead="Responses by error code.">
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
          <LimiterCard nRefused={figures.codes.get("rate_limited") ?? 0} />
        </div>

        <JobCard jobs={jobs} areBackupsOff={backup.plan === null} now={now} />

        <RetentionCard rows={describeRetention(cachedSetting("retention"), retention)} />

        <Card title="Configuration" lead="The values in use. Secrets are never shown.">
          <FactList
            facts={configuration.map(({ name, value }) => ({
              name,
              value: <span className="break-all">{value}</span>,
            }))}
          />
        </Card>

        <Card
          title="Audit log"
          flush
          actions={
            <LinkButton size="small" href={adminPaths.audit()}>
              Whole audit log
            </LinkButton>
          }
        >
          <AuditTable rows={audit} />
        </Card>

        <Card
          title="Export"
          lead="CSV (RFC 4180, UTF-8), without keys. Each export is recorded in the audit log."
        >
          {(["program", "excel"] as const).map((reader) => (
            <div key={reader} className="mb-2 flex flex-wrap gap-2">
              {EXPORTS.map(({ what, label }) => (
                <ActionLink
                  needs="export"
                  key={what}
                  href={adminPaths.export(what, reader === "excel" ? { for: reader } : {})}
                  download
                >
                  <Download aria-hidden="true" />
                  {reader === "excel" ? `${label} for Excel` : label}
                </ActionLink>
              ))}
            </div>
          ))}
        </Card>
      </div>
    </>
  );
}

/** Processes of other releases on the same database, and which ones a pooler hides. */
function describeOtherReleases(releases: readonly (string | null)[]): string {
  const found =
    releases.length === 0
      ? "none connected to this database"
      : `processes of ${namesOfReleases(releases)} are connected: restart processes until all run the same release, unless an upgrade is running`;
  return env().databaseDirectUrl === null
    ? found
    : `${found}. Behind the pooler only workers, and replicas with an open stream or long poll, are seen`;
}

/** The state of the database schema, and what to do. */
const SCHEMA_LABELS: Record<SchemaState["state"], (schema: SchemaState) => string> = {
  current: ({ migrations, newest }) => `current, ${migrations} migrations, the newest ${newest}`,
  newer: ({ newest }) =>
    `newer than this release, whose newest migration is ${newest}: restart with the release that upgraded it, unless you went back on purpose`,
  older: ({ newest }) => `migrations up to ${newest} are pending: restart to apply them`,
};

const EXPORTS = [
  { what: "subscribers", label: "Subscribers" },
  { what: "executions", label: "Positions" },
  { what: "deliveries", label: "Payment deliveries" },
  { what: "audit", label: "Audit log" },
] as const;
