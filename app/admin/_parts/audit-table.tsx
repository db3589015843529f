import type { ReactNode } from "react";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Timestamp } from "@/app/_components/timestamp";
import type { AuditRow } from "@/db/queries/admin-audit";

/** Who did what, to what, when and from where. */
export function AuditTable({ rows, footer }: { rows: readonly AuditRow[]; footer?: ReactNode }) {
  return (
    <DataTable
      caption="Audit log, newest first"
      columns={COLUMNS}
      rows={rows}
      rowKey={(row) => row.id}
      footer={footer}
      empty={
        <EmptyState title="Nothing recorded">Every action of an administrator leaves a row here.</EmptyState>
      }
    />
  );
}

const COLUMNS: Column<AuditRow>[] = [
  { key: "at", header: "When", primary: true, cell: (row) => <Timestamp at={row.at} /> },
  { key: "action", header: "Action", cell: (row) => row.action },
  { key: "target", header: "To", cell: (row) => <span className="break-all">{shortId(row.target)}</span> },
  {
    key: "actor",
    header: "Who",
    cell: (row) => <span title={row.actor}>{shortId(row.actor)}</span>,
  },
  { key: "address", header: "From", cell: (row) => row.address ?? "–" },
  {
    key: "details",
    header: "Details",
    cell: (row) => (
      <span
        title={JSON.stringify(row.details)}
        className="block max-w-56 truncate font-mono text-xs text-muted phone:max-w-44"
      >
        {Object.keys(row.details).length === 0 ? "–" : JSON.stringify(row.details)}
      </span>
    ),
  },
];

/** `admin-session/4f2c81aa-…`: the first digits are enough to tell two apart. */
const shortId = (name: string) => name.replace(/\/([0-9a-f]{8})-[0-9a-f-]{27}$/, "/$1");
