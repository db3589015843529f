import type { ReactNode } from "react";
import { PageHeader } from "@/app/_components/page-header";

/** The frame of one page of the documentation. */
export function Article({ title, lead, children }: { title: string; lead: ReactNode; children: ReactNode }) {
  return (
    <article>
      <PageHeader title={title} lead={lead} />
      <div className="prose">{children}</div>
    </article>
  );
}
