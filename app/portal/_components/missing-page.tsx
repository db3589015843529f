import { SearchX } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeader } from "@/app/_components/page-header";
import { paths } from "@/lib/paths";
import { notePageMissing } from "@/lib/runtime/page-request";

/**
 * What a page of the portal returns when its address leads nowhere: 404 with the menu, in the first document. Next's
 * notFound() would send an empty one that needs its scripts.
 */
export function MissingPage() {
  notePageMissing();
  return (
    <>
      <PageHeader title="Not found" />
      <Card flush>
        <EmptyState
          icon={SearchX}
          title="There is no page at this address"
          actions={
            <>
              <LinkButton href={paths.portal()} variant="primary">
                Overview
              </LinkButton>
              <LinkButton href={paths.portalSignals()}>Signals</LinkButton>
            </>
          }
        >
          The link may be old or misspelt. The list of signals has every slot that exists.
        </EmptyState>
      </Card>
    </>
  );
}
