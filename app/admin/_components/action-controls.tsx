import type { ComponentProps, ReactNode } from "react";
import { Button, LinkButton } from "@/app/_components/button";
import { classNames } from "@/app/_components/class-names";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { roleForAction, roleIncludes } from "@/lib/access/people/roles";
import { requireAdminSession } from "@/lib/auth/require-admin-session";

/**
 * Why the signed-in administrator may not perform an action; null: allowed. Form handlers use the same table
 * (`roles.ts`).
 */
export async function findActionDenialReason(action: string): Promise<string | null> {
  const needed = roleForAction(action);
  const { role } = await requireAdminSession();
  return roleIncludes(role, needed) ? null : `Needs the role ${needed}; yours is ${role}.`;
}

/** A form of the area. Without permission its controls are disabled, with the reason. */
export async function ActionForm({
  needs,
  children,
  ...form
}: { needs: string } & ComponentProps<"form">): Promise<ReactNode> {
  const refusal = await findActionDenialReason(needs);
  if (refusal === null)
    return (
      <form method="post" {...form}>
        {children}
      </form>
    );
  return (
    <div>
      <fieldset disabled className={classNames("min-w-0", form.className)}>
        {children}
      </fieldset>
      <p className="mt-2 text-sm text-muted">{refusal}</p>
    </div>
  );
}

/** A button with a confirmation; without permission it is disabled, with the reason. */
export async function ActionDialog({
  needs,
  ...dialog
}: { needs: string } & ComponentProps<typeof ConfirmDialog>): Promise<ReactNode> {
  const refusal = await findActionDenialReason(needs);
  if (refusal === null) return <ConfirmDialog {...dialog} />;
  return (
    <Button variant={dialog.triggerVariant} size={dialog.triggerSize} disabledReason={refusal}>
      {dialog.trigger}
    </Button>
  );
}

/** A link to a form or a file; hidden without permission. */
export async function ActionLink({
  needs,
  ...link
}: { needs: string } & ComponentProps<typeof LinkButton>): Promise<ReactNode> {
  return (await findActionDenialReason(needs)) === null ? <LinkButton {...link} /> : null;
}
