import { Button } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Notice } from "@/app/_components/notice";
import { ActionForm } from "@/app/admin/_components/action-controls";
import { keepsRecipient } from "@/lib/outbound/mail/outbox";
import { adminPaths } from "@/lib/paths";

/** The form that sends a stored mail again; `blocked` says why that is not possible. */
export function ResendCard({
  mail,
  blocked,
}: {
  mail: { id: number; kind: string; subscriptionId: number | null; recipient: string };
  blocked: string | null;
}) {
  return (
    <Card title="Send again">
      {blocked ? (
        <Notice>{blocked}</Notice>
      ) : (
        <ActionForm
          needs="mail.resend"
          action={adminPaths.mailMessageForm(mail.id, "resend")}
          className="space-y-4"
        >
          <p className="text-sm text-muted">
            {keepsRecipient(mail)
              ? `It goes to ${mail.recipient} again.`
              : "It goes to the subscriber's present address. If that is wrong, correct it on the subscriber's page first."}
          </p>
          <Button type="submit">Send again</Button>
        </ActionForm>
      )}
    </Card>
  );
}
