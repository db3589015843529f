import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber } from "@/app/_components/figures";
import { StatusPill } from "@/app/_components/status-pill";
import { RelativeTime } from "@/app/_components/timestamp";
import type { listLastJobRuns } from "@/db/queries/jobs";

type JobRun = Awaited<ReturnType<typeof listLastJobRuns>>[number];

/** The last run of each background job and its result. */
export function JobCard({ jobs, now }: { jobs: readonly JobRun[]; now: Date }) {
  return (
    <Card title="Jobs" flush>
      <DataTable
        caption="Background jobs"
        columns={jobColumns(now)}
        rows={jobs}
        rowKey={(row) => row.job}
        empty={<EmptyState title="No job has run yet">The worker records its runs here.</EmptyState>}
      />
    </Card>
  );
}

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
