import type { ReactNode } from "react";
import { Link } from "@/app/_components/link";
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
      eyebrow={
        <Link href={adminPaths.settings()} className="link">
          Settings
        </Link>
      }
      title={title}
      lead={lead}
      actions={actions}
    />
  );
}
