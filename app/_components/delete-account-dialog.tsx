import type { ReactNode } from "react";
import { ConfirmDialog } from "./confirm-dialog";

/** The button that deletes an account, with its confirmation. `byMail`: a mailed link confirms the deletion. */
export function DeleteAccountDialog({
  byMail,
  action,
  children,
}: {
  byMail: boolean;
  action: string;
  children: ReactNode;
}) {
  return (
    <ConfirmDialog
      trigger="Delete my account"
      title="Delete your account?"
      consequence={
        byMail
          ? "You get a mail with a link. When you use it, your keys stop working at once, and everything that identifies you is deleted for good. Your positions stay as anonymous statistics. This does not cancel your subscription at the shop."
          : "Your keys stop working at once, and everything that identifies you is deleted for good. Your positions stay as anonymous statistics. This does not cancel your subscription at the shop."
      }
      confirmLabel={byMail ? "Mail me the link" : "Delete my account"}
      typedWord="DELETE"
      action={action}
    >
      {children}
    </ConfirmDialog>
  );
}
