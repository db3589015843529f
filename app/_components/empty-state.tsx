import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** Shown where there is no data yet: what will appear here and when. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  actions,
}: {
  icon?: LucideIcon;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      {Icon && (
        <span className="mb-4 grid size-10 place-items-center rounded-lg border bg-sunken text-muted">
          <Icon aria-hidden="true" className="size-5" />
        </span>
      )}
      <p className="font-semibold">{title}</p>
      {children && <div className="mt-1 max-w-[48ch] text-sm text-muted">{children}</div>}
      {actions && <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
