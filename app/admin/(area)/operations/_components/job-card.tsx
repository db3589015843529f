import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber } from "@/app/_components/figures";
import { StatusPill } from "@/app/_components/status-pill";
import { RelativeTime } from "@/app/_components/timestamp";
import type { listLastJobRuns } from "@/db/queries/jobs";

type JobRun = Awaited<ReturnType<typeof listLastJobRuns>>[number];

/** The last recorded run of each background job and its result. */
export function JobCard({
  jobs,
  areBackupsOff,
  now,
}: {
  jobs: readonly JobRun[];
  areBackupsOff: boolean;
  now: Date;
}) {
  return (
    <Card
      title="Jobs"
      lead="Jobs that run on a schedule. Frequent jobs, such as signals, outcomes, training, mail and webhooks, record only failures and the first success after one. They are listed once a run has failed."
      flush
    >
      <DataTable
        caption="Background jobs"
        columns={jobColumns(areBackupsOff, now)}
        rows={jobs}
        rowKey={(row) => row.job}
        empty={<EmptyState title="No job has run yet">The worker records its runs here.</EmptyState>}
      />
    </Card>
  );
}

function jobColumns(areBackupsOff: boolean, now: Date): Column<JobRun>[] {
  return [
    { key: "job", header: "Job", primary: true, cell: (row) => row.job },
    {
      key: "state",
      header: "Last run",
      cell: (row) =>
        row.lastErrorCode !== null ? (
          <StatusPill state="degraded" label={row.lastErrorCode} />
        ) : row.job === "backup" && areBackupsOff ? (
          <StatusPill state="unknown" label="Off" />
        ) : (
          <StatusPill state="ok" label="Done" />
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
