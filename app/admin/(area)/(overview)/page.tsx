import { RotateCw } from "lucide-react";
import type { Metadata } from "next";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { UptimeBars } from "@/app/_components/chart/uptime-bars";
import { CopyButton } from "@/app/_components/copy-button";
import { FactList } from "@/app/_components/fact-list";
import { formatNumber } from "@/app/_components/figures";
import { Notice } from "@/app/_components/notice";
import { PageHeader } from "@/app/_components/page-header";
import { Stat, StatRow } from "@/app/_components/stat";
import { StatusPill } from "@/app/_components/status-pill";
import { formatInstant, formatSpan } from "@/app/_components/times";
import { RelativeTime, Timestamp } from "@/app/_components/timestamp";
import { configuredPaymentPlatforms } from "@/app/admin/_components/configured-platforms";
import { formatBytes } from "@/app/admin/_components/format-bytes";
import { DELIVERY_EFFECT_LABELS } from "@/app/admin/_components/payment-labels";
import { SetupList } from "@/app/admin/_components/setup-list";
import { readOverview } from "@/lib/admin/read-overview";
import { readSetup } from "@/lib/admin/setup/read-setup";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { componentName } from "@/lib/health/read-status-page";
import { adminPaths } from "@/lib/paths";
import { API_VERSION } from "@/lib/runtime/version";
import { MINUTE_MS } from "@/lib/time";
import { EA_STATES } from "@/lib/vocabulary";
import type { SearchParams } from "@/lib/wire/query-filter";
import { AttentionList } from "./_components/attention-list";
import { countAuthFailures } from "./_components/count-auth-failures";
import { DirectionShares } from "./_components/direction-shares";
import { overviewSummary } from "./_components/overview-summary";

export const metadata: Metadata = { title: "Overview" };

/** The state of service and business on one page. */
export default async function Overview({ searchParams }: { searchParams: SearchParams }) {
  await requireAdminSession();
  const { reason } = await searchParams;
  const now = new Date();
  const [overview, setup] = await Promise.all([
    readOverview(now),
    readSetup(now, await configuredPaymentPlatforms()),
  ]);
  const { schema } = overview;
  const stepsLeft = setup.isHidden ? 0 : setup.steps.filter(({ isDone }) => !isDone).length;
  const { health, slots, staleSlots, clients, directions, mail, payments, database, jobs } = overview;
  const active = slots.filter((slot) => slot.active).length;
  const paymentsToday = Object.values(payments.today).reduce((sum, n) => sum + n, 0);
  const incidents = overview.past?.incidents.slice(0, 5) ?? [];
  const failures = countAuthFailures(overview.errorsHour);

  return (
    <>
      <PageHeader
        title="Overview"
        lead={`As of ${formatInstant(now)}.`}
        actions={
          <>
            <CopyButton text={overviewSummary(overview, now)} what="a summary of the state" />
            <LinkButton href={adminPaths.overview()} size="small">
              <RotateCw aria-hidden="true" />
              Reload
            </LinkButton>
          </>
        }
      />
      <div className="space-y-6">
        {reason === "role" && (
          <Notice tone="danger" title="Your role does not allow that" announce>
            An owner can give you another role under Settings, People.
          </Notice>
        )}
        <AttentionList items={overview.attention} />

        {stepsLeft > 0 && (
          <Card
            title="Setup checklist"
            lead={`${setup.steps.length - stepsLeft} of ${setup.steps.length} steps done.`}
            flush
            actions={
              <LinkButton size="small" href={adminPaths.setup()}>
                Options
              </LinkButton>
            }
          >
            <SetupList steps={setup.steps} />
          </Card>
        )}

        <StatRow columns={6} label="Headline figures">
          <Stat label="Health" value={<StatusPill state={health.status} />} note={lagNote(health)} />
          <Stat
            label="EAs online"
            value={formatNumber(clients.online)}
            unit={`of ${formatNumber(clients.total)}`}
            note="called within 5 min"
          />
          <Stat
            label="Signals, 24 h"
            value={formatNumber(directions.day.BUY + directions.day.SELL + directions.day.NO_TRADE)}
            note={`${formatNumber(directions.day.BUY + directions.day.SELL)} with a direction`}
          />
          <Stat
            label="Stale slots"
            value={formatNumber(staleSlots.length)}
            unit={`of ${active}`}
            note="open-market time"
          />
          <Stat
            label="Mail waiting"
            value={formatNumber(mail.pending)}
            note={`${formatNumber(mail.sent24h)} sent in 24 h`}
          />
          <Stat
            label="Payments today"
            value={formatNumber(paymentsToday)}
            note={`${paymentsToday === 1 ? "delivery" : "deliveries"} since 00:00 UTC`}
          />
        </StatRow>

        <StatRow columns={4} label="Release and backup">
          <Stat
            label="Backup"
            value={<StatusPill state={overview.backup.state} label={overview.backup.label} />}
            note={overview.backup.note}
          />
          <Stat label="Version" value={API_VERSION} note={`Node ${process.versions.node}`} />
          <Stat
            label="Schema"
            value={<StatusPill {...SCHEMA_LABELS[schema.state]} />}
            note={`${schema.migrations} migrations`}
          />
          <Stat
            label="Setup"
            value={`${setup.steps.filter(({ isDone }) => isDone).length} of ${setup.steps.length}`}
            note={
              <a href={adminPaths.setup()} className="link">
                Checklist
              </a>
            }
          />
        </StatRow>

        <Card
          title="Uptime"
          lead="Share of minutes in which the service was not down, checked every minute. A minute without a check counts as down."
        >
          {overview.past ? (
            <UptimeBars component="Service" days={overview.past.components[0]?.days ?? []} />
          ) : (
            <p className="text-sm text-muted">The uptime of past days is not available at the moment.</p>
          )}
          {incidents.length > 0 && (
            <ul className="mt-5 divide-y border-t text-sm">
              {incidents.map((incident) => (
                <li key={incident.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2.5">
                  <StatusPill
                    state={incident.closedAt ? "unknown" : incident.severity}
                    {...(incident.closedAt ? { label: "Closed" } : {})}
                  />
                  <span className="font-medium">{componentName(incident.component)}</span>
                  <span className="min-w-0 flex-1 basis-60 text-muted">
                    {incident.reasons.map(({ text }) => text).join("; ") || "no reason recorded"}
                  </span>
                  <span className="text-faint tabular-nums">
                    <Timestamp at={incident.openedAt} />,{" "}
                    {formatSpan(
                      ((incident.closedAt ?? now).getTime() - incident.openedAt.getTime()) / MINUTE_MS,
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Card>

        <div className="grid gap-6 lg:grid-cols-2">
          <Card
            title="Trading clients"
            lead="Subscribers with active access, by the last call of their client."
            footer={
              <CardLink href={adminPaths.subscribers({ ea: "silent", state: "active" })}>
                Silent clients
              </CardLink>
            }
          >
            <FactList
              facts={[
                ...EA_STATES.map((state) => ({
                  name: EA_LABELS[state],
                  value: (
                    <a
                      className="link"
                      href={adminPaths.subscribers({ ea: state, state: "active", try_out: "no" })}
                      aria-label={`${clients[state]} ${EA_LABELS[state]}`}
                    >
                      {formatNumber(clients[state])}
                    </a>
                  ),
                })),
                {
                  name: "Access ends within 7 days",
                  value: (
                    <a
                      className="link"
                      href={adminPaths.subscribers({ expiring: "7", try_out: "no" })}
                      aria-label={`${clients.expiringSoon} whose access ends within 7 days`}
                    >
                      {formatNumber(clients.expiringSoon)}
                    </a>
                  ),
                },
              ]}
            />
          </Card>
          <Card
            title="Signals in 24 hours"
            lead="By direction; the tick marks the share of the last 30 days. A single day varies widely by chance."
            footer={<CardLink href={adminPaths.signals()}>Slots</CardLink>}
          >
            <DirectionShares {...directions} />
          </Card>
          <Card
            title="Payments and mail"
            footer={
              <span className="flex flex-wrap gap-x-6">
                <CardLink href={adminPaths.payments()}>Payments</CardLink>
                <CardLink href={adminPaths.paymentWeeks()}>Revenue by week</CardLink>
              </span>
            }
          >
            <FactList
              facts={[
                ...Object.entries(payments.today).map(([action, n]) => ({
                  name: `Today: ${(TODAY_LABELS[action] ?? action).toLowerCase()}`,
                  value: formatNumber(n),
                })),
                { name: "Last delivery", value: <RelativeTime at={payments.lastReceivedAt} now={now} /> },
                { name: "To review", value: formatNumber(payments.flagged) },
                {
                  name: "Mail waiting",
                  value: mail.oldestPendingAt ? (
                    <>
                      {formatNumber(mail.pending)}, oldest{" "}
                      <RelativeTime at={mail.oldestPendingAt} now={now} />
                    </>
                  ) : (
                    "0"
                  ),
                },
                { name: "Failed mail", value: formatNumber(mail.dead) },
                { name: "Transport", value: TRANSPORT_LABELS[mail.transport] },
              ]}
            />
          </Card>
          <Card title="System" footer={<CardLink href={adminPaths.operations()}>Operations</CardLink>}>
            <FactList
              facts={[
                {
                  name: "Last probe of the worker",
                  value: <RelativeTime at={database.lastProbeAt} now={now} />,
                },
                {
                  name: "Jobs with a failed last run",
                  value: formatNumber(jobs.filter((job) => job.lastErrorCode !== null).length),
                },
                {
                  name: "Database",
                  value: `PostgreSQL ${database.version.split(" ")[0]}, ${formatBytes(database.sizeBytes)}`,
                },
                {
                  name: "Database connections",
                  value: `${database.connections} of ${database.maxConnections}`,
                },
                {
                  name: "Slots drifting",
                  value:
                    overview.models.drifting === null
                      ? "being measured"
                      : formatNumber(overview.models.drifting),
                },
                { name: "Refused keys, tokens and secrets, 1 h", value: formatNumber(failures) },
              ]}
            />
          </Card>
        </div>
      </div>
    </>
  );
}

/** `no_key_revoked`: refunds, cancellations and chargebacks that revoked no key. */
const TODAY_LABELS: Record<string, string> = {
  ...DELIVERY_EFFECT_LABELS,
  no_key_revoked: "Refund or cancellation, no key revoked",
};

const SCHEMA_LABELS = {
  current: { state: "ok", label: "Current" },
  newer: { state: "degraded", label: "Newer than this release" },
  older: { state: "degraded", label: "Migration pending" },
} as const;

const EA_LABELS = {
  online: "Online",
  delayed: "Delayed, 5 to 30 min",
  offline: "Offline, over 30 min",
  never: "Never seen",
} as const;

const TRANSPORT_LABELS = { resend: "Resend", smtp: "SMTP", outbox: "Local outbox (files)" } as const;

function CardLink({ href, children }: { href: string; children: string }) {
  return (
    <a href={href} className="link inline-flex min-h-6 items-center text-sm">
      {children}
    </a>
  );
}

function lagNote(health: { predLagMinutes: number | null }): string {
  return health.predLagMinutes === null
    ? "no signal yet"
    : `newest signal ${formatSpan(health.predLagMinutes)} old`;
}
