import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeader } from "@/app/_components/page-header";
import { markPageNotFound } from "@/lib/runtime/page-request";

/**
 * A 404 page inside an area, with the menu, in the first response. Next's notFound() would send an empty document that
 * needs JavaScript.
 */
export function MissingPageInArea({ actions, children }: { actions: ReactNode; children: ReactNode }) {
  markPageNotFound();
  return (
    <>
      <PageHeader title="Not found" />
      <Card flush>
        <EmptyState icon={SearchX} title="There is no page at this address" actions={actions}>
          {children}
        </EmptyState>
      </Card>
    </>
  );
}
