import type { ReactNode } from "react";
import { type Column, DataTable } from "@/app/_components/data-table";
import { EmptyState } from "@/app/_components/empty-state";
import { Timestamp } from "@/app/_components/timestamp";
import type { AuditRow } from "@/db/queries/audit";
import { actionLabel, auditDetails } from "@/lib/admin/audit-text";
import { adminPaths } from "@/lib/paths";

/** The audit log: who did what, when and from where. */
export function AuditTable({ rows, footer }: { rows: readonly AuditRow[]; footer?: ReactNode }) {
  return (
    <DataTable
      caption="Audit log, newest first"
      twoLines
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
  { key: "action", header: "Action", phone: "upper", cell: (row) => actionLabel(row.action) },
  {
    key: "target",
    header: "Subject",
    phone: "lower",
    cell: (row) => (
      <span className="break-words sm:block sm:max-w-56 sm:whitespace-normal">{subject(row)}</span>
    ),
  },
  {
    key: "actor",
    header: "Who, from",
    phone: "lower",
    cell: (row) => (
      <span className="block" title={row.actor}>
        {actorLabel(row)}
        {row.address && <span className="block text-xs text-muted phone:hidden">{row.address}</span>}
      </span>
    ),
  },
  {
    key: "details",
    header: "Details",
    phone: "lower",
    cell: (row) => (
      <span className="block text-xs break-words text-muted sm:w-56 sm:py-1.5 sm:whitespace-normal">
        {auditDetails(row.details)}
      </span>
    ),
  },
];

/** The actor of an audit row: the name of the person or subscriber, a label such as “Payment platform”, or the id. */
export function actorLabel({
  actor,
  person,
  subscriber,
}: Pick<AuditRow, "actor" | "person" | "subscriber">): string {
  const [kind = ""] = actor.split("/");
  if (person !== null) return person;
  if (kind === "subscriber") return subscriber ?? shortId(actor);
  return ACTOR_LABELS[kind] ?? shortId(actor);
}

const ACTOR_LABELS: Readonly<Record<string, string>> = {
  "admin-session": "Signed in with the secret",
  "admin-secret": "API with the secret",
  webhook: "Payment platform",
  worker: "The service",
  command: "Command line",
};

/** The target of an action: a person's name, a subscriber's name with the object, or otherwise only the object. */
function subject({ target, subscriptionId, subscriber, targetPerson }: AuditRow): ReactNode {
  if (targetPerson !== null) return targetPerson;
  const [kind = "", id = ""] = target.split("/");
  const thing = `${kind.replaceAll(/[-_]/g, " ")} ${shortId(`/${id}`).slice(1)}`.trim();
  if (subscriber === null) return thing.charAt(0).toUpperCase() + thing.slice(1);
  const owner = subscriptionId ?? Number(id);
  return (
    <>
      <a href={adminPaths.subscriber(owner)} className="link">
        {subscriber}
      </a>
      {!/^subscri(?:ber|ption)$/.test(kind) && <span className="text-muted">, {thing}</span>}
    </>
  );
}

/** `admin-session/4f2c81aa-…`: the first eight digits identify a session. */
const shortId = (name: string) => name.replace(/\/([0-9a-f]{8})-[0-9a-f-]{27}$/, "/$1");
