import { EyeOff } from "lucide-react";
import { LinkButton } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { EmptyState } from "@/app/_components/empty-state";
import { PageHeader } from "@/app/_components/page-header";
import { paths } from "@/lib/paths";

/** Shown instead of a page of the record while the operator does not publish the record. */
export function RecordOff({ title }: { title: string }) {
  return (
    <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6 lg:py-16">
      <PageHeader title={title} />
      <Card flush>
        <EmptyState
          icon={EyeOff}
          title="The record is not public here"
          actions={<LinkButton href={paths.login()}>Sign in</LinkButton>}
        >
          The operator of this installation has switched the public record off. Signals are still recorded,
          and subscribers see the results of their signals in the portal.
        </EmptyState>
      </Card>
    </div>
  );
}
