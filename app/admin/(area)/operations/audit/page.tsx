import { Download } from "lucide-react";
import type { Metadata } from "next";
import { z } from "zod";
import { Card } from "@/app/_components/card";
import { PageHeader } from "@/app/_components/page-header";
import { ActionLink } from "@/app/admin/_components/allowed";
import { choiceOf } from "@/app/admin/_components/list/list-filter";
import { ListFilters } from "@/app/admin/_components/list/list-filters";
import { newestOlder } from "@/app/admin/_components/list/newest-older";
import { AuditTable } from "@/app/admin/(area)/operations/_components/audit-table";
import { db } from "@/db/client";
import { listAudit, listAuditActions } from "@/db/queries/audit";
import { requireAdminSession } from "@/lib/auth/require-admin-session";
import { adminPaths } from "@/lib/paths";
import { countFilter, type SearchParams, textFilter } from "@/lib/wire/query-filter";

export const metadata: Metadata = { title: "Audit log" };

const PAGE_SIZE = 100;

const Filter = z.object({ action: textFilter(100), before: countFilter(999_999_999) });

/** Every action, who took it, when and from where. */
export default async function Audit({ searchParams }: { searchParams: SearchParams }) {
  await requireAdminSession(adminPaths.audit());
  const { action, before: beforeId } = Filter.parse(await searchParams);
  const [rows, actions] = await Promise.all([
    listAudit(db(), { action, beforeId }, PAGE_SIZE),
    listAuditActions(db()),
  ]);
  const oldest = rows.at(-1);
  return (
    <>
      <PageHeader
        parent={{ href: adminPaths.operations(), label: "Operations" }}
        title="Audit log"
        lead="Each row is written together with the change it describes and is never changed afterwards."
        actions={
          <ActionLink needs="export" href={adminPaths.export("audit")} download>
            <Download aria-hidden="true" />
            CSV
          </ActionLink>
        }
      />
      <div className="mb-6">
        <ListFilters
          label="Filter the audit log"
          filters={{ action: choiceOf("Action", actions) }}
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
