import type { ReactNode } from "react";

/** The head of a page: the h1, a summary sentence, actions, and a link to the parent page. */
export function PageHeader({
  title,
  lead,
  parent,
  eyebrow = parent && (
    <a href={parent.href} className="link">
      {parent.label}
    </a>
  ),
  actions,
}: {
  title: string;
  lead?: ReactNode;
  parent?: { href: string; label: string };
  /** Replaces the link to the parent. */
  eyebrow?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <header className="mb-8 flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
      <div className="min-w-0 max-w-[68ch]">
        {eyebrow && <div className="mb-2 text-sm text-muted">{eyebrow}</div>}
        <h1 className="line-clamp-3 text-2xl wrap-anywhere">{title}</h1>
        {lead && <p className="mt-2 text-muted">{lead}</p>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}
