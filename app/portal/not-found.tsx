import { SearchX } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeader } from "@/app/_components/page-header";
import { paths } from "@/lib/paths";

export const metadata = { title: "Not found" };

/** An address in the portal that leads nowhere; the menu stays. */
export default function PortalNotFound() {
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
          The link may be old or misspelt. For a signal it names a symbol and a timeframe that exist, such as
          EURUSD and H1.
        </EmptyState>
      </Card>
    </>
  );
}
