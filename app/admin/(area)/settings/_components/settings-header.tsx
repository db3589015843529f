import type { ReactNode } from "react";
import { PageHeader } from "@/app/_components/page-header";
import { adminPaths } from "@/lib/paths";

/** The head of a page of the settings. */
export function SettingsHeader({
  title,
  lead,
  actions,
}: {
  title: string;
  lead: string;
  actions?: ReactNode;
}) {
  return (
    <PageHeader
      parent={{ href: adminPaths.settings(), label: "Settings" }}
      title={title}
      lead={lead}
      actions={actions}
    />
  );
}
