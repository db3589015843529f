import { SearchX } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeader } from "@/app/_components/page-header";
import { adminPaths } from "@/lib/paths";
import { notePageMissing } from "@/lib/runtime/page-request";

/** What a page of the area returns when its address leads nowhere: 404 with the menu, in the first document. */
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
              <LinkButton href={adminPaths.overview()} variant="primary">
                Overview
              </LinkButton>
              <LinkButton href={adminPaths.search()}>Search</LinkButton>
            </>
          }
        >
          The link may be old or misspelt, or what it names was removed.
        </EmptyState>
      </Card>
    </>
  );
}
