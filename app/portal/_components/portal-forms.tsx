import type { ReactNode } from "react";
import { requireSubscriber } from "@/lib/auth/require-subscriber";

/** A part of the portal with forms. In an administrator's view, which changes nothing, their controls are disabled. */
export async function PortalForms({ className, children }: { className?: string; children: ReactNode }) {
  const { viewedUntil } = await requireSubscriber({ tryOut: true });
  return viewedUntil === null ? (
    <div className={className}>{children}</div>
  ) : (
    <fieldset disabled aria-label="Disabled in this view" className={className}>
      {children}
    </fieldset>
  );
}
