import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names";

export type NoticeTone = "info" | "done" | "warn" | "danger";

const TONE: Record<NoticeTone, { icon: LucideIcon; className: string; mark: string }> = {
  info: { icon: Info, className: "border-line bg-sunken", mark: "text-muted" },
  done: { icon: CircleCheck, className: "border-up/30 bg-up-soft", mark: "text-up" },
  warn: { icon: TriangleAlert, className: "border-warn/30 bg-warn-soft", mark: "text-warn" },
  danger: { icon: CircleAlert, className: "border-danger/30 bg-danger-soft", mark: "text-danger" },
};

/** A message about a result and the next step. With `announce` screen readers read it when it appears. */
export function Notice({
  tone = "info",
  title,
  actions,
  announce = false,
  children,
}: {
  tone?: NoticeTone;
  title?: ReactNode;
  actions?: ReactNode;
  announce?: boolean;
  children?: ReactNode;
}) {
  const { icon: Icon, className, mark } = TONE[tone];
  return (
    <div
      role={announce ? (tone === "danger" ? "alert" : "status") : undefined}
      className={classNames("flex gap-3 rounded-lg border px-4 py-3 text-sm", className)}
    >
      <Icon aria-hidden="true" className={classNames("mt-0.5 size-4 shrink-0", mark)} />
      <div className="min-w-0 flex-1">
        {title && <p className="font-semibold">{title}</p>}
        {children && (
          <div className={classNames("text-pretty", title ? "mt-0.5 text-muted" : "text-ink")}>
            {children}
          </div>
        )}
        {actions && <div className="mt-3 flex flex-wrap gap-2">{actions}</div>}
      </div>
    </div>
  );
}
