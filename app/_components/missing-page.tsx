import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeader } from "@/app/_components/page-header";
import { notePageMissing } from "@/lib/runtime/page-request";

/**
 * What a page returns inside its area when its address leads nowhere: 404 with the menu, in the first document. Next's
 * notFound() would send an empty one that needs its scripts.
 */
export function MissingInArea({ actions, children }: { actions: ReactNode; children: ReactNode }) {
  notePageMissing();
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
