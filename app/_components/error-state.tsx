import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";

/** Replaces content that could not be loaded: what failed, what the user can do, and the request id, if given. */
export function ErrorState({
  title,
  children,
  requestId,
  actions,
}: {
  title: string;
  children: ReactNode;
  requestId?: string;
  actions?: ReactNode;
}) {
  return (
    <div role="alert" className="flex flex-col items-center px-6 py-12 text-center">
      <span className="mb-4 grid size-10 place-items-center rounded-lg border border-danger/30 bg-danger-soft text-danger">
        <CircleAlert aria-hidden="true" className="size-5" />
      </span>
      <p className="font-semibold">{title}</p>
      <div className="mt-1 max-w-[48ch] text-sm text-muted">{children}</div>
      {requestId && (
        <p className="mt-3 text-xs text-faint">
          Request id <code className="font-mono break-all text-muted">{requestId}</code>
        </p>
      )}
      {actions && <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
