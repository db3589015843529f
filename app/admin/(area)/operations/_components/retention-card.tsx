import { Card } from "@/app/_components/card";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { formatNumber } from "@/app/_components/figures";
import type { RetentionDescription } from "@/lib/admin/describe-retention";

/** Retention of each kind of data, with its reason. */
export function RetentionCard({ rows }: { rows: readonly RetentionDescription[] }) {
  return (
    <Card
      title="Retention"
      lead="A job deletes older data every hour, in small batches. Change the days under Settings, Service."
      flush
    >
      <DataTable
        caption="How long data is kept"
        columns={COLUMNS}
        rows={rows}
        rowKey={(row) => row.what}
        empty={<EmptyState title="No rules">All data is kept.</EmptyState>}
      />
    </Card>
  );
}

const COLUMNS: Column<RetentionDescription>[] = [
  { key: "what", header: "What", primary: true, cell: (row) => row.what },
  {
    key: "days",
    header: "Kept for",
    align: "right",
    cell: (row) =>
      row.days === null ? "forever" : `${formatNumber(row.days)} ${row.days === 1 ? "day" : "days"}`,
  },
  { key: "why", header: "Why", cell: (row) => <span className="text-muted">{row.why}</span> },
  {
    key: "removed",
    header: "Deleted in the last run",
    align: "right",
    cell: (row) => (row.removed === null ? "–" : formatNumber(row.removed)),
  },
];
