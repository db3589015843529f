import { StatusPill } from "@/app/_components/status-pill";
import type { MailKind } from "@/lib/outbound/mail/kinds";

/** What each mail is called. Stored kinds are text: one of a former release may be missing here. */
export const MAIL_WORDS: Record<MailKind, string> & Record<string, string> = {
  "sign-in": "Sign-in link",
  "try-out": "Link to a try-out key",
  "key-created": "The key",
  "key-rotated": "The new key",
  "access-revoked": "Access revoked",
  "access-suspended": "Access suspended",
  "access-reinstated": "Access reinstated",
  "payment-failed": "A payment failed",
  renewed: "Access renewed",
  "downtime-credited": "Downtime given back",
  "expiry-reminder": "Access ends soon",
  "plan-ending": "Lower plan begins soon",
  "ea-offline": "The EA is silent",
  "webhook-paused": "A webhook is paused",
  "channel-paused": "A channel is paused",
  "admin-invitation": "Invitation of an administrator",
  "admin-sign-in": "Sign-in link of an administrator",
  "admin-secret-used": "The administrator secret was used",
  "second-factor-locked": "An authenticator was locked",
  "account-deletion": "Link to delete the account",
  "address-change": "Link to change the address",
  "address-changed": "The address was changed",
  "owner-alert": "An alert to an owner",
  "model-changed": "A model changed",
  notice: "A notice",
};

/** Where a mail stands, as colour, mark and word. */
export function MailStatePill({ status }: { status: "pending" | "sent" | "dead" }) {
  if (status === "sent") return <StatusPill state="ok" label="Sent" />;
  if (status === "dead") return <StatusPill state="down" label="Failed" />;
  return <StatusPill state="delayed" label="Waiting" />;
}
