import { StatusPill } from "@/app/_components/status-pill";
import type { MailKind } from "@/lib/outbound/mail/kinds";
import type { MailRow } from "@/lib/outbound/mail/outbox";

/**
 * The label of each kind of mail. The database stores kinds as text, so one of an earlier release may have no label
 * here.
 */
export const MAIL_LABELS: Record<MailKind, string> & Record<string, string> = {
  "sign-in": "Sign-in link",
  "try-out": "Try-out link",
  "key-created": "Key",
  "key-rotated": "New key",
  "access-revoked": "Access revoked",
  "access-suspended": "Access suspended",
  "access-reinstated": "Access reinstated",
  "payment-failed": "Payment failed",
  "payment-moved": "Payment moved",
  renewed: "Access renewed",
  "downtime-credited": "Downtime credited",
  "expiry-reminder": "Access ends soon",
  "plan-ending": "Lower plan begins soon",
  "ea-offline": "Trading client offline",
  "webhook-paused": "Webhook paused",
  "channel-paused": "Channel paused",
  "admin-invitation": "Invitation of an administrator",
  "admin-sign-in": "Sign-in link of an administrator",
  "admin-secret-used": "Administrator secret used",
  "second-factor-locked": "Authenticator locked",
  "recovery-code-used": "Recovery code used",
  "account-deletion": "Link to delete the account",
  "address-change": "Link to change the address",
  "address-changed": "Address changed",
  "owner-alert": "Alert to an owner",
  "model-changed": "Model changed",
  notice: "Notice",
  test: "Test",
};

/** The state of a mail as colour, icon and word. A mail that only the local outbox has was not sent. */
export function MailStatePill({ status, transport }: Pick<MailRow, "status" | "transport">) {
  if (status === "sent" && transport === "outbox")
    return <StatusPill state="unknown" label="In the outbox" />;
  if (status === "sent") return <StatusPill state="ok" label="Sent" />;
  if (status === "dead") return <StatusPill state="down" label="Failed" />;
  return <StatusPill state="delayed" label="Waiting" />;
}
