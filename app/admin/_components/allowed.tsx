import type { ComponentProps, ReactNode } from "react";
import { Button, LinkButton } from "@/app/_components/button";
import { ConfirmDialog } from "@/app/_components/confirm-dialog";
import { mayAct, roleForAction } from "@/lib/access/people/roles";
import { requireAdminSession } from "@/lib/auth/require-admin-session";

/** Why the administrator of this page may not do something; null: may. Forms and files ask the same table (`roles.ts`). */
export async function refusalOf(action: string): Promise<string | null> {
  const needed = roleForAction(action);
  const { role } = await requireAdminSession();
  return mayAct(role, needed) ? null : `Needs the role ${needed}; yours is ${role}.`;
}

/** A form of the area. Who may not send it sees it with its controls off, and why. */
export async function ActionForm({
  needs,
  children,
  ...form
}: { needs: string } & ComponentProps<"form">): Promise<ReactNode> {
  const refusal = await refusalOf(needs);
  if (refusal === null)
    return (
      <form method="post" {...form}>
        {children}
      </form>
    );
  return (
    <div className={form.className}>
      <fieldset disabled className="contents">
        {children}
      </fieldset>
      <p className="mt-2 text-sm text-muted">{refusal}</p>
    </div>
  );
}

/** A button that asks before it acts; off for who may not, with the reason beside it. */
export async function ActionDialog({
  needs,
  ...dialog
}: { needs: string } & ComponentProps<typeof ConfirmDialog>): Promise<ReactNode> {
  const refusal = await refusalOf(needs);
  if (refusal === null) return <ConfirmDialog {...dialog} />;
  return (
    <Button variant={dialog.triggerVariant} size={dialog.triggerSize} disabledReason={refusal}>
      {dialog.trigger}
    </Button>
  );
}

/** A link to a form or a file; not there for who may not use it. */
export async function ActionLink({
  needs,
  ...link
}: { needs: string } & ComponentProps<typeof LinkButton>): Promise<ReactNode> {
  return (await refusalOf(needs)) === null ? <LinkButton {...link} /> : null;
}
