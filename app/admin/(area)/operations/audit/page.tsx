import { Download } from "lucide-react";
import type { Metadata } from "next";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Link } from "@/app/_components/link";
import { PageHeader } from "@/app/_components/page-header";
import { AuditTable } from "@/app/admin/_parts/audit-table";
import { ListFilters } from "@/app/admin/_parts/list/list-filters";
import { newestOlder } from "@/app/admin/_parts/list/newest-older";
import { db } from "@/db/client";
import { listAudit, listAuditActions } from "@/db/queries/audit";
import { PageQuery } from "@/lib/admin/search-params";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import type { SearchParams } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Audit log" };

const PAGE_SIZE = 100;

/** Every action, who took it, when and from where. */
export default async function Audit({ searchParams }: { searchParams: SearchParams }) {
  await requireAdminSession(adminPaths.audit());
  const query = new PageQuery(await searchParams);
  const action = query.text("action", 100);
  const beforeId = query.count("before", 999_999_999);
  const [rows, actions] = await Promise.all([
    listAudit(db(), { action, beforeId }, PAGE_SIZE),
    listAuditActions(db()),
  ]);
  const oldest = rows.at(-1);
  return (
    <>
      <PageHeader
        eyebrow={
          <Link href={adminPaths.operations()} className="link">
            Operations
          </Link>
        }
        title="Audit log"
        lead="Written in the transaction of what it tells about; never changed afterwards."
        actions={
          <LinkButton href={adminPaths.export("audit")} download>
            <Download aria-hidden="true" />
            CSV
          </LinkButton>
        }
      />
      <div className="mb-6">
        <ListFilters
          label="Filter the audit log"
          filters={[
            {
              name: "action",
              label: "Action",
              options: actions.map((name) => ({ value: name, label: name })),
            },
          ]}
          shown={{ action }}
          address={adminPaths.audit}
        />
      </div>
      <Card flush>
        <AuditTable
          rows={rows}
          footer={newestOlder({
            newest: beforeId === undefined ? null : adminPaths.audit({ action }),
            older:
              rows.length === PAGE_SIZE && oldest ? adminPaths.audit({ action, before: oldest.id }) : null,
          })}
        />
      </Card>
    </>
  );
}
