import type { ReactNode } from "react";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Timestamp } from "@/app/_components/timestamp";
import type { AuditRow } from "@/db/queries/audit";

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
    header: "Who, from",
    cell: (row) => (
      <span className="block" title={row.actor}>
        {row.person ?? shortId(row.actor)}
        {row.address && <span className="block text-xs text-muted">{row.address}</span>}
      </span>
    ),
  },
  {
    key: "details",
    header: "Details",
    cell: (row) => (
      <span className="text-xs break-words text-muted sm:block sm:w-56 sm:py-1.5 sm:whitespace-normal">
        {written(row.details)}
      </span>
    ),
  },
];

/** `admin-session/4f2c81aa-…`: the first digits are enough to tell two apart. */
const shortId = (name: string) => name.replace(/\/([0-9a-f]{8})-[0-9a-f-]{27}$/, "/$1");

/** `planTier pro, from –`: what an action noted, in words that break into lines. */
function written(details: Record<string, unknown>): string {
  const parts = Object.entries(details).map(
    ([name, value]) => `${name} ${value === null ? "–" : word(value)}`,
  );
  return parts.join(", ") || "–";
}

const word = (value: unknown): string =>
  typeof value === "string" ? value.replace(/(T\d{2}:\d{2}:\d{2})\.\d+Z$/, "$1Z") : JSON.stringify(value);
